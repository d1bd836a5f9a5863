// Models with random weights, saved for the runtime and kept as the tensors that it is compared with.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "model/trained_model.hpp"
#include "rollout/protocols.hpp"
#include "rollout/tensors/model.hpp"
#include "runtime/forecast.hpp"
#include "support/scratch.hpp"

namespace cvf::test {

/// One line of the table that the tests walk through.
struct Kind {
  const char *name, *state, *context, *field;
  const char* normalizer = "cascaded";
  const char* epsilon = "";
};

inline constexpr const char* pendulum = "channels = [\"angle\", \"velocity\"]\n";
inline constexpr const char* line =
    "channels = [\"u\"]\nnx = 24\nx_range = [0.0, 1.0]\nboundary = \"periodic\"\n";
inline constexpr const char* plane = "channels = [\"u\", \"v\"]\nny = 12\nnx = 20\nboundary = \"wall\"\n";
inline constexpr const char* odd =
    "channels = [\"h\", \"hu\", \"hv\"]\nny = 7\nnx = 13\nboundary = \"outflow\"\n";

inline constexpr const char* relative = "relative_epsilon = 1e-3\n";  // enough to matter
inline constexpr const char* numbers =
    "[context.parameters]\nnames = [\"a\", \"b\"]\nmean = [1.0, -2.0]\ndeviation = [0.5, 3.0]\n"
    "[context.controls]\nnames = [\"force\"]\nmean = [0.2]\ndeviation = [1.5]\n";
inline constexpr const char* everything =
    "[context]\nnodes = 3\n"
    "[context.parameters]\nnames = [\"a\"]\nmean = [1.0]\ndeviation = [0.5]\n"
    "[context.static]\nnames = [\"bottom\"]\nmean = [0.3]\ndeviation = [2.0]\n"
    "[context.controls]\nnames = [\"wind\", \"heat\"]\nmean = [0.0, 0.1]\ndeviation = [1.0, 2.0]\n"
    "[context.control_fields]\nnames = [\"rain\"]\nmean = [0.1]\ndeviation = [0.7]\n";

/// Every field, with and without a context, on sizes that fit no panel and no tile.
inline constexpr Kind kinds[]{
    {"mlp", pendulum, "", "name = \"mlp\"\nwidth = 19\ndepth = 2\nexpansion = 2\n"},
    {"mlp_context", pendulum, numbers, "name = \"mlp\"\nwidth = 32\n", "separated"},
    {"mlp_tangent", pendulum, "", "name = \"mlp\"\nwidth = 16\nconditioned = false\n", "single"},
    {"conv_line", line, "", "name = \"conv\"\nwidth = 12\ndilations = [1, 5, 2]\n", "cascaded", relative},
    {"conv", plane, "", "name = \"conv\"\nwidth = 17\ndilations = [1, 2]\ndepth = 2\n", "separated",
     relative},
    {"conv_patch", plane, everything, "name = \"conv\"\nwidth = 24\npatch = 2\n"},
    {"conv_odd", odd, "", "name = \"conv\"\nwidth = 33\ndilations = [1, 4, 9]\n", "single"},
    {"sit", plane, "", "name = \"sit\"\nwidth = 24\ndepth = 3\nheads = 3\n"},
    {"sit_context", plane, everything, "name = \"sit\"\nwidth = 32\ndepth = 2\nheads = 4\npatch = 2\n"},
    {"sit_odd", odd, "", "name = \"sit\"\nwidth = 20\ndepth = 2\nheads = 5\npatch = 1\n"},
    {"sit_line", line, "", "name = \"sit\"\nwidth = 16\ndepth = 1\nheads = 2\npatch = 1\n"},
};

inline model::TrainedModel random_model(const Kind& kind, int members = 1) {
  const std::string text = fmt::format("members = {}\n", members) +
                           "[state]\ndt_ref = 0.8\ndelta_min = 0.1\nlargest_dt = 0.8\nusual_dt = 0.4\n" +
                           std::string(kind.state) + kind.context + "[field]\n" + kind.field +
                           "[normalizer]\nname = \"" + kind.normalizer + "\"\n" + kind.epsilon;
  const auto spec = model::from_toml(text, "test");
  auto out = model::build(spec, 4);
  const torch::NoGradGuard no_gradients;
  for (auto& p : out.field->parameters()) {  // no layer left at zero
    const double inputs = static_cast<double>(p.numel() / p.size(0));
    p.copy_(torch::randn(p.sizes()) * (p.dim() > 1 ? 0.7 / std::sqrt(inputs) : 0.1));
  }
  auto sides = spec.state.tensor_sizes();
  sides.insert(sides.begin(), 32);
  out.normalizer->fit({torch::randn(sides, torch::kDouble) * 2 + 1},
                      {0.7 * torch::randn(sides, torch::kDouble) + 0.2});
  out.run_toml = "[objective]\nname = \"cvf\"\n";
  return out;
}

/// The same in double precision, with weights that float does not hold.
inline model::TrainedModel in_double(model::TrainedModel model) {
  const torch::NoGradGuard no_gradients;
  model.spec.precision = "float64";
  model.field->to(torch::kDouble);
  for (auto& p : model.field->parameters()) p.add_(torch::randn_like(p), 1e-9);
  return model;
}

/// A context that jumps at 0.55 where it has controls.
inline SampleContextPointer random_context(const model::TrainedModel& model) {
  const auto names = model.spec.context.names();
  const auto cells = model.spec.state.cells();
  const auto floats = [](std::size_t count) {
    const auto values = torch::randn({static_cast<std::int64_t>(count)});
    return std::vector<float>(values.data_ptr<float>(), values.data_ptr<float>() + count);
  };
  auto out = std::make_shared<SampleContext>();
  for (const float value : floats(names.parameters.size())) out->parameters.push_back(value);
  out->statics = floats(names.statics.size() * cells);
  if (names.controls.empty() && names.control_fields.empty()) return out;
  out->times = {0, 0.3, 0.55, 0.55, 4};
  out->controls = floats(5 * names.controls.size());
  out->control_fields = floats(5 * names.control_fields.size() * cells);
  return out;
}

/// Both sides of a comparison.
struct Pair {
  explicit Pair(const Kind& kind, const std::vector<std::string>& settings = {}, int members = 1)
      : Pair(random_model(kind, members), settings) {}
  explicit Pair(model::TrainedModel model, const std::vector<std::string>& settings = {})
      : tensors(std::move(model)) {
    model::save(tensors, scratch.path("run/best"));
    plain = std::make_unique<runtime::Model>(runtime::Model::load(scratch.path("run"), settings));
  }

  torch::Tensor states(std::int64_t rows) const {
    auto sides = tensors.spec.state.tensor_sizes();
    sides.insert(sides.begin(), rows);
    return torch::randn(sides, torch::kDouble) * 2 + 1;
  }
  runtime::Conditions conditions(std::size_t rows) const {
    runtime::Conditions out;
    for (std::size_t i = 0; i < rows && !tensors.spec.context.empty(); ++i)
      out.contexts.push_back(random_context(tensors));
    return out;
  }

  testing_support::Scratch scratch;
  model::TrainedModel tensors;
  std::unique_ptr<runtime::Model> plain;
};

/// Bars of 1 to 5 times the doubt of this kind, up to a time of 0.7.
inline metrics::Calibration calibrate(const runtime::Model& model, metrics::Signal score) {
  metrics::Calibration made;
  made.checkpoint = model.checkpoint();
  made.solver = model.solver_choice().to_toml();
  made.score = score;
  made.horizon = 0.7;
  made.shortest_interval = made.longest_interval = 0.1;
  made.shape.assign(metrics::octaves, 1);
  made.set_ratios({1, 2, 3, 4, 5});
  metrics::save(made, metrics::calibration_file(model.path()));
  return made;
}

template <class T>
std::vector<T> values_of(const torch::Tensor& t) {
  const auto flat = t.contiguous();
  return {flat.data_ptr<T>(), flat.data_ptr<T>() + flat.numel()};
}

/// The largest difference, relative to the largest value.
template <class T>
double relative_difference(const std::vector<T>& a, const torch::Tensor& b) {
  const auto other = values_of<T>(b);
  if (a.size() != other.size()) return INFINITY;
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::fmax(difference, std::abs(static_cast<double>(a[i]) - static_cast<double>(other[i])));
    size = std::fmax(size, std::abs(static_cast<double>(other[i])));
    if (std::isnan(a[i]) != std::isnan(other[i])) return INFINITY;
  }
  return difference / size;
}

}  // namespace cvf::test
