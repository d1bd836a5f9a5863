#include "fields/mlp.hpp"

#include "core/errors.hpp"
#include "fields/parts/layers.hpp"
#include "kernels/layer_hook.hpp"

namespace cvf::fields {

using torch::Tensor;

Mlp::Mlp(const StateShape& shape, const Options& options, std::uint64_t seed)
    : VelocityField(shape), options_(options), size_(options.size(shape)) {
  const auto add = [&](const char* name, std::int64_t in, std::int64_t out, Draw draw) {
    torch::nn::Linear linear = register_module(name, torch::nn::Linear(in, out));
    initialise(linear, draw, seed, name);
    return linear;
  };
  input_ = add("input", shape.channels, options.width, Draw::xavier);
  step_ = register_module("step", StepEmbedding(options.width, shape.dt_ref, shape.conditions(), seed));
  auto blocks = register_module("blocks", std::make_shared<torch::nn::Module>());
  for (int i = 0; i < options.depth; ++i) blocks_.push_back(make_block(*blocks, i, seed));
  final_modulate_ = add("final_modulate", options.width, 2 * options.width, Draw::zero);
  output_ = add("output", options.width, shape.channels, Draw::zero);
}

Mlp::Block Mlp::make_block(torch::nn::Module& parent, int index, std::uint64_t seed) {
  auto holder = parent.register_module(fmt::format("{}", index), std::make_shared<torch::nn::Module>());
  const auto add = [&](const char* name, std::int64_t in, std::int64_t out, Draw draw) {
    torch::nn::Linear linear = holder->register_module(name, torch::nn::Linear(in, out));
    initialise(linear, draw, seed, fmt::format("blocks.{}.{}", index, name));
    return linear;
  };
  const std::int64_t width = options_.width, inner = width * options_.expansion;
  return {add("expand", width, inner, Draw::xavier), add("contract", inner, width, Draw::xavier),
          add("modulate", width, 3 * width, Draw::zero)};
}

kernels::Engine Mlp::engine() const {
  return options_.engine == "composed" ? kernels::Engine::composed : kernels::Engine::automatic;
}

// [B, values], or [1, values] for all rows where no row has a step of its own.
Tensor Mlp::modulation(const Tensor& dt, const Tensor& conditions) {
  const Tensor c = kernels::hooked(
      "step", step_(options_.conditioned ? dt : torch::zeros({1}, dt.options()), conditions, engine()));
  std::vector<kernels::Linear> layers;
  for (const auto& block : blocks_) layers.push_back({block.modulate->weight, block.modulate->bias});
  layers.push_back({final_modulate_->weight, final_modulate_->bias});
  return kernels::linears_beside(c, layers, engine());
}

kernels::MlpTrunk Mlp::trunk() const {
  const auto of = [](const torch::nn::Linear& l) { return kernels::Linear{l->weight, l->bias}; };
  kernels::MlpTrunk out{size_, of(input_), {}, of(output_), cache_};
  for (const auto& block : blocks_) out.blocks.push_back({of(block.expand), of(block.contract)});
  return out;
}

Tensor Mlp::forward(const Query& query) {
  check(query);
  return kernels::evaluate(trunk(), engine(), query.state, modulation(query.dt, query.context.conditions()));
}

// Norm, modulation, expansion and GELU of each block, forward and backward.
double Mlp::training_bytes(double evaluations) const {
  return evaluations * 4.0 * options_.width * (options_.depth * (8.0 + 4.0 * options_.expansion) + 12.0);
}

double Mlp::flops() const {
  double weights = 0;
  for (const auto& p : parameters()) {
    if (p.dim() == 2) weights += static_cast<double>(p.numel());
  }
  return 2 * weights;
}

}  // namespace cvf::fields
