#include "model/trained_model.hpp"

#include "core/errors.hpp"
#include "core/registry.hpp"
#include "fields/members.hpp"
#include "model/tensors.hpp"

namespace cvf::model {
namespace {

using normalizers::Physical;
using torch::Tensor;

// A spec that does not fit itself (a patch that does not divide the grid, a width beyond memory) is a fault
// of the file here, whatever class the parts throw.
TrainedModel build_from_file(const ModelSpec& spec, const std::string& path) {
  try {
    return build(spec, 0);
  } catch (const ConfigError& error) {
    throw ModelError("{}: {}", path, error.what());
  } catch (const c10::Error& error) {
    throw ModelError("{}: no such field can be built: {}", path, error.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    throw ModelError("{}: the field is larger than the memory", path);
  }
}

// A text that cannot be read back (bytes that are no UTF-8, say) must stop the saving, not the loading.
std::string readable_toml(const ModelSpec& spec) {
  const std::string text = to_toml(spec);
  if (to_toml(from_toml(text, std::string(model_file))) != text) {
    throw ModelError("the spec of the model does not survive being written to {}", model_file);
  }
  return text;
}

}  // namespace

Physical TrainedModel::velocity(const Physical& state, const Tensor& dt) const {
  const torch::NoGradGuard no_gradients;
  if (field->is_training()) field->eval();
  const auto own = field->parameters().front().options().requires_grad(false);
  const Tensor psi = field->forward(normalizer->to_model(state).value.to(own), dt.to(own.device()));
  return normalizer->physical_velocity(psi.to(state.value.options()));
}

TrainedModel build(const ModelSpec& spec, std::uint64_t seed) {
  TrainedModel out{.spec = spec, .field = {}, .normalizer = {}, .run_toml = {}};
  out.spec.field.use(spec.field.name);
  out.spec.check();
  const auto shape = spec.shape();
  refuse_beyond_memory(spec.field.name, out.spec.field.settings->values(shape) * spec.members,
                       spec.precision);
  out.field = fields::build_members(*out.spec.field.settings, shape, seed, spec.members);
  out.field->to(spec.precision == "float64" ? torch::kDouble : torch::kFloat);
  out.normalizer = find(normalizers::registry(), spec.normalizer, "normalizer")
                       .make(shape.channels, spec.normalizer_settings());
  return out;
}

folder::Files files_of(const TrainedModel& model) {
  model.spec.check();
  folder::Files files;
  files.emplace(model_file, readable_toml(model.spec));
  files.emplace(run_file, model.run_toml);
  files.emplace(weights_file, to_safetensors(tensors_of(*model.field)));
  files.emplace(normalizer_file, to_safetensors(model.normalizer->state()));
  return files;
}

void save(const TrainedModel& model, const std::string& folder) {
  folder::replace(folder, files_of(model));
}

TrainedModel load(const std::string& folder) {
  return from_files(read_files(folder), folder);
}

TrainedModel from_files(const folder::Files& files, const std::string& folder) {
  const auto content = [&](std::string_view name) -> const std::string& {
    return files.at(std::string(name));
  };
  const auto path = [&](std::string_view name) { return fmt::format("{}/{}", folder, name); };
  TrainedModel out = build_from_file(from_toml(content(model_file), path(model_file)), path(model_file));
  load_into(*out.field, content(weights_file), path(weights_file));
  out.normalizer->load(
      from_safetensors(content(normalizer_file), path(normalizer_file), out.normalizer->state()));
  out.field->eval();
  out.run_toml = content(run_file);
  return out;
}

std::string to_toml(ModelSpec spec) {
  return config::write([&spec](config::Section& s) { spec.describe(s); });
}

ModelSpec from_toml(std::string_view text, const std::string& name) {
  return spec_from_toml<ModelSpec>(text, name);
}

}  // namespace cvf::model
