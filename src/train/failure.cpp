#include "train/failure.hpp"

#include <limits>
#include <optional>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "kernels/layer_hook.hpp"
#include "model/tensors.hpp"
#include "train/optimizer.hpp"
#include "train/options.hpp"

namespace cvf::train {
namespace {

using model::NamedTensors;
using torch::Tensor;

bool finite(const Tensor& t) {
  return torch::isfinite(t).all().item<bool>();
}

NamedTensors parts_of(const objectives::Batch& batch, const objectives::Draws& draws) {
  NamedTensors out;
  const auto add_all = [&](const char* name, const auto& tensors) {
    for (std::size_t i = 0; i < tensors.size(); ++i)
      out.emplace_back(fmt::format("{}.{}", name, i), tensors[i]);
  };
  std::vector<Tensor> frames;
  for (const auto& frame : batch.frames) frames.push_back(frame.value);
  add_all("batch.frames", frames);
  add_all("batch.slopes", batch.slopes);
  add_all("batch.curvatures", batch.curvatures);
  out.emplace_back("batch.steps", batch.steps);
  const auto add = [&](const char* name, const Tensor& t) {
    if (t.defined()) out.emplace_back(name, t);
  };
  add("draws.shares", draws.shares);
  add("draws.spans", draws.spans);
  add("draws.points", draws.points);
  add("draws.closed", draws.closed);
  add("draws.progress", torch::full({1}, draws.progress, torch::kDouble));
  return out;
}

const Tensor* find_tensor(const NamedTensors& tensors, const std::string& name) {
  for (const auto& [key, tensor] : tensors) {
    if (key == name) return &tensor;
  }
  return nullptr;
}

std::vector<Tensor> numbered(const NamedTensors& tensors, const char* name) {
  std::vector<Tensor> out;
  while (const Tensor* t = find_tensor(tensors, fmt::format("{}.{}", name, out.size()))) out.push_back(*t);
  return out;
}

Tensor named_or_none(const NamedTensors& tensors, const std::string& name) {
  const Tensor* found = find_tensor(tensors, name);
  return found != nullptr ? *found : Tensor();
}

objectives::Batch batch_of(const NamedTensors& tensors) {
  objectives::Batch out;
  for (const auto& frame : numbered(tensors, "batch.frames")) out.frames.push_back({frame});
  out.slopes = numbered(tensors, "batch.slopes");
  out.curvatures = numbered(tensors, "batch.curvatures");
  out.steps = named_or_none(tensors, "batch.steps");
  return out;
}

// The tensors whose names begin with `prefix`, without it.
NamedTensors below(const NamedTensors& tensors, const std::string& prefix) {
  NamedTensors out;
  for (const auto& [name, tensor] : tensors) {
    if (name.starts_with(prefix)) out.emplace_back(name.substr(prefix.size()), tensor);
  }
  return out;
}

std::string first_broken_input(const Scene& scene) {
  for (const auto& [name, tensor] : parts_of(scene.batch, scene.draws)) {
    if (!finite(tensor)) return name;
  }
  for (const auto& [name, tensor] : model::tensors_of(scene.field())) {
    if (!finite(tensor)) return "the weight " + name;
  }
  return "";
}

const std::string& text(const model::TensorFile& file, const std::string& key, const std::string& path) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) {
    throw ModelError("{}: has no '{}'; this is not a file that a failed run of cvf train left", path, key);
  }
  return found->second;
}

// Files of old do not say, and were of models of one.
std::int64_t member_in(const model::TensorFile& file, std::int64_t members, const std::string& path) {
  if (!file.metadata.contains("member")) return 0;
  const std::int64_t member = std::stoll(text(file, "member", path));
  if (member < 0 || member >= members)
    throw ModelError("{}: is of member {}, and its model has {}", path, member, members);
  return member;
}

}  // namespace

std::string first_non_finite(const Scene& scene) {
  if (auto input = first_broken_input(scene); !input.empty()) return input;
  auto& field = scene.field();
  field.zero_grad();
  std::string place;
  Tensor total;
  {
    int evaluation = 0;
    const kernels::LayerHook hook([&](const std::string& layer, const Tensor& output) {
      if (layer == "step") ++evaluation;
      if (place.empty() && !finite(output))
        place = fmt::format("layer {} in evaluation {} of psi", layer, evaluation);
    });
    total = scene.objective.loss({field, *scene.model.normalizer}, scene.batch, scene.draws).total;
    if (!place.empty()) return place;
    if (!finite(total)) return "the loss";
    total.backward();
  }
  // Backward runs from the output to the input, so the last parameter is the first to be reached.
  const auto parameters = field.named_parameters();
  for (std::size_t i = parameters.size(); i-- > 0;) {
    const Tensor gradient = parameters[i].value().grad();
    if (gradient.defined() && !finite(gradient)) return "the gradient of " + parameters[i].key();
  }
  return "nowhere";
}

std::string save_scene(const Scene& scene, const std::string& folder, std::int64_t step,
                       const std::string& samples) {
  NamedTensors tensors = parts_of(scene.batch, scene.draws);
  for (const auto& [name, t] : model::tensors_of(*scene.model.field))
    tensors.emplace_back("field." + name, t);
  for (const auto& [name, t] : scene.model.normalizer->state()) tensors.emplace_back("normalizer." + name, t);
  const std::string path = fmt::format("{}/failure-step-{}.safetensors", folder, step);
  files::write_atomically(path, model::to_safetensors(tensors, {{"run", scene.model.run_toml},
                                                                {"model", model::to_toml(scene.model.spec)},
                                                                {"step", fmt::format("{}", step)},
                                                                {"member", fmt::format("{}", scene.member)},
                                                                {"samples", samples}}));
  return path;
}

std::string words(const std::vector<data::RowId>& ids) {
  std::string out;
  for (std::size_t i = 0; i < ids.size() && i < 8; ++i) {
    out += fmt::format("{}{} (frames {}+{})", i > 0 ? ", " : "", ids[i].sample, ids[i].first, ids[i].stride);
  }
  return ids.size() > 8 ? fmt::format("{} and {} more", out, ids.size() - 8) : out;
}

Replay replay(const std::string& path) {
  const std::string bytes = files::read_whole(path, std::numeric_limits<std::size_t>::max());
  const auto file = model::all_tensors(bytes, path);
  model::TrainedModel model = model::build(model::from_toml(text(file, "model", path), path), 0);
  const auto weights = model::to_safetensors(below(file.tensors, "field."));
  model::load_into(*model.field, weights, path);
  model.normalizer->load(below(file.tensors, "normalizer."));
  const auto run = RunOptions::read(config::Document::from_text(text(file, "run", path), path));
  const auto objective = run.objective.build();
  const objectives::Batch batch = batch_of(file.tensors);
  objectives::Draws draws{named_or_none(file.tensors, "draws.shares"),
                          named_or_none(file.tensors, "draws.spans"),
                          named_or_none(file.tensors, "draws.points"),
                          named_or_none(file.tensors, "draws.closed")};
  const Tensor progress = named_or_none(file.tensors, "draws.progress");
  if (progress.defined()) draws.progress = progress.item<double>();
  const Scene scene{model, *objective, batch, draws, member_in(file, model.spec.members, path)};
  Replay out;
  out.step = std::stoll(text(file, "step", path));
  out.samples = text(file, "samples", path);
  const auto losses = objective->loss({scene.field(), *model.normalizer}, batch, draws);
  out.loss = losses.total.item<double>();
  losses.total.backward();
  out.gradient_norm = Optimizer(scene.field(), run.optimizer, 0).gradient_norms().front();
  out.place = first_non_finite(scene);
  return out;
}

}  // namespace cvf::train
