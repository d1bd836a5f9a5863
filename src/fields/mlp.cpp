#include "fields/mlp.hpp"

#include "core/errors.hpp"
#include "fields/parts/layers.hpp"
#include "kernels/layer_hook.hpp"
#include "kernels/sit.hpp"

namespace cvf::fields {

using torch::Tensor;

Mlp::Mlp(const StateShape& shape, const Options& options, std::uint64_t seed)
    : VelocityField(shape), options_(options) {
  options.check(shape);
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

Tensor Mlp::forward(const Query& query) {
  check(query);
  const auto& [state, dt, context] = query;
  using kernels::hooked;
  const auto engine = options_.engine == "composed" ? kernels::Engine::composed : kernels::Engine::automatic;
  const auto linear = [engine](const Tensor& x, const torch::nn::Linear& l) {
    return kernels::linear(x, {l->weight, l->bias}, engine);
  };
  const Tensor c =  // [B,W], or [1,W] for all rows where no row has a step of its own
      hooked("step", step_(options_.conditioned ? dt : torch::zeros({1}, dt.options()), context.conditions(),
                           engine));
  Tensor x = hooked("input", linear(state, input_));
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    auto& block = blocks_[i];
    const auto m = linear(c, block.modulate).chunk(3, 1);  // shift, scale, gate
    const Tensor hidden = at::gelu(linear(kernels::modulated_norm(x, m[0], m[1]), block.expand), "tanh");
    x = hooked("blocks", i, x + m[2] * linear(hidden, block.contract));
  }
  const auto m = linear(c, final_modulate_).chunk(2, 1);
  return hooked("output", linear(kernels::modulated_norm(x, m[0], m[1]), output_));
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
