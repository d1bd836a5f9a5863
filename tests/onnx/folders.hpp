// Folders of models with random weights, made without LibTorch.
#pragma once

#include <random>

#include "model/files.hpp"
#include "model/safetensors.hpp"
#include "onnx/networks.hpp"

namespace cvf::test {

/// Writes a model with this [state], [context] and [field], and `extra` in front of them.
inline void write_model(const std::string& folder, const std::string& state, const std::string& field,
                        const std::string& context = "", const std::string& extra = "") {
  const std::string toml = extra + "[state]\ndt_ref = 0.8\ndelta_min = 0.1\nlargest_dt = 0.8\n" + state +
                           context + "[field]\n" + field;
  const auto spec = model::spec_from_toml<onnx::Spec>(toml, "test");
  const auto shape = spec.shape();
  std::mt19937 draw(1);
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> values;
  model::safetensors::Contents weights, statistics;
  for (int i = 0; i < spec.members; ++i) {
    for (const auto& tensor : spec.field.settings->tensors(shape)) {
      std::size_t count = 1;
      for (const auto size : tensor.sizes) count *= static_cast<std::size_t>(size);
      values.emplace_back(count);
      for (auto& value : values.back()) value = 0.1F * normal(draw);
      weights.tensors.push_back({onnx::member_prefix(spec, i) + tensor.name, model::safetensors::Dtype::f32,
                                 tensor.sizes, std::as_bytes(std::span(values.back()))});
    }
  }
  const std::vector<double> ones(static_cast<std::size_t>(shape.channels), 1);
  for (const auto* name : {"state_mean", "state_variance", "velocity_mean", "velocity_variance"}) {
    statistics.tensors.push_back(
        {name, model::safetensors::Dtype::f64, {shape.channels}, std::as_bytes(std::span(ones))});
  }
  model::folder::replace(folder, {{std::string(model::model_file), toml},
                                  {std::string(model::run_file), "[objective]\nname = \"cvf\"\n"},
                                  {std::string(model::weights_file), serialize(weights)},
                                  {std::string(model::normalizer_file), serialize(statistics)}});
}

inline constexpr const char* pendulum = "channels = [\"angle\", \"velocity\"]\n";
inline constexpr const char* line = "channels = [\"u\"]\nnx = 24\nboundary = \"periodic\"\n";
inline constexpr const char* plane = "channels = [\"u\", \"v\"]\nny = 12\nnx = 20\nboundary = \"wall\"\n";
inline constexpr const char* everything =
    "[context]\nnodes = 3\n"
    "[context.parameters]\nnames = [\"a\"]\nmean = [1.0]\ndeviation = [0.5]\n"
    "[context.static]\nnames = [\"bottom\"]\nmean = [0.3]\ndeviation = [2.0]\n"
    "[context.controls]\nnames = [\"wind\", \"heat\"]\nmean = [0.0, 0.1]\ndeviation = [1.0, 2.0]\n"
    "[context.control_fields]\nnames = [\"rain\"]\nmean = [0.1]\ndeviation = [0.7]\n";

}  // namespace cvf::test
