#include "fields/sit.hpp"

#include <cmath>

#include "core/errors.hpp"
#include "fields/parts/layers.hpp"
#include "kernels/batch.hpp"
#include "kernels/layer_hook.hpp"

namespace cvf::fields {
namespace {

torch::Tensor line_positions(std::int64_t count, std::int64_t quarter) {  // [count, 2*quarter]
  const auto i = torch::arange(quarter, torch::kDouble);
  const auto frequencies = torch::exp(i * (-std::log(10000.0) / static_cast<double>(quarter)));
  const auto angles = torch::arange(count, torch::kDouble).unsqueeze(1) * frequencies;
  return torch::cat({angles.sin(), angles.cos()}, 1);
}

// Fixed positions of the tokens, [rows*columns, dim] double: the first half of the values tells the row, the
// second the column; each half holds sin(w_i p) then cos(w_i p), w_i = 10000^(-i/(dim/4)).
torch::Tensor grid_positions(std::int64_t rows, std::int64_t columns, std::int64_t dim) {
  const auto half = dim / 2;
  const auto of_row = line_positions(rows, dim / 4).unsqueeze(1).expand({rows, columns, half});
  const auto of_column = line_positions(columns, dim / 4).unsqueeze(0).expand({rows, columns, half});
  return torch::cat({of_row, of_column}, 2).reshape({rows * columns, dim});
}

kernels::Linear view(const torch::nn::Linear& l) {
  return {l->weight, l->bias};
}

}  // namespace

Sit::Sit(const StateShape& shape, const Options& options, std::uint64_t seed)
    : VelocityField(shape),
      options_(options),
      size_(options.size(shape)),
      cache_(kernels::make_weight_cache()) {
  const auto dim = size_.dim;
  patch_ = register_module("patch", torch::nn::Linear(size_.patch_values(), dim));
  initialise(patch_, Draw::xavier, seed, "patch");
  step_ = register_module("step", StepEmbedding(dim, shape.dt_ref, shape.conditions(), seed));
  auto blocks = register_module("blocks", std::make_shared<torch::nn::Module>());
  for (std::int64_t i = 0; i < size_.depth; ++i) add_block(*blocks, i, seed);
  final_modulate_ = register_module("final_modulate", torch::nn::Linear(dim, 2 * dim));
  output_ = register_module("output", torch::nn::Linear(dim, size_.patch_values()));
  initialise(final_modulate_, Draw::zero, seed, "final_modulate");
  initialise(output_, Draw::zero, seed, "output");
  const auto table = grid_positions(size_.height / size_.patch, size_.width / size_.patch, dim);
  positions_ = register_buffer("positions", table.to(torch::kFloat));
}

void Sit::add_block(torch::nn::Module& parent, std::int64_t index, std::uint64_t seed) {
  auto holder = parent.register_module(fmt::format("{}", index), std::make_shared<torch::nn::Module>());
  const auto add = [&](const char* name, std::int64_t in, std::int64_t out, Draw draw) {
    torch::nn::Linear linear = holder->register_module(name, torch::nn::Linear(in, out));
    initialise(linear, draw, seed, fmt::format("blocks.{}.{}", index, name));
    return linear;
  };
  const auto dim = size_.dim;
  blocks_.push_back({add("qkv", dim, 3 * dim, Draw::xavier), add("project", dim, dim, Draw::xavier),
                     add("expand", dim, 4 * dim, Draw::xavier), add("contract", 4 * dim, dim, Draw::xavier),
                     add("modulate", dim, 6 * dim, Draw::zero)});
}

torch::Tensor Sit::modulation(const torch::Tensor& dt, const torch::Tensor& conditions) {
  const torch::Tensor c =
      kernels::hooked("step", step_(options_.conditioned ? dt : torch::zeros_like(dt), conditions, engine()));
  std::vector<kernels::Linear> layers;
  for (const auto& block : blocks_) layers.push_back(view(block.modulate));
  layers.push_back(view(final_modulate_));
  return kernels::linears_beside(c, layers, engine());
}

kernels::Engine Sit::engine() const {
  return options_.engine == "composed" ? kernels::Engine::composed : kernels::Engine::automatic;
}

kernels::SitTrunk Sit::trunk() const {
  kernels::SitTrunk out{size_, view(patch_), positions_, {}, view(output_), cache_};
  for (const auto& b : blocks_) {
    out.blocks.push_back({view(b.qkv), view(b.project), view(b.expand), view(b.contract)});
  }
  return out;
}

// What lies beside the state enters as further channels; what the trunk says of them is not asked for.
torch::Tensor Sit::forward(const Query& query) {
  check(query);
  const torch::Tensor psi = kernels::evaluate(trunk(), engine(), with_beside(query),
                                              modulation(query.dt, query.context.conditions()));
  return shape().beside() > 0 ? psi.narrow(1, 0, shape().channels) : psi;
}

// Composed operations hold about 30 values of D for each token and block, and the attention twice; the fused
// ones keep to a budget and recompute the rest.
double Sit::training_bytes(double evaluations) const {
  const double n = static_cast<double>(size_.tokens()), d = static_cast<double>(size_.dim);
  const double block = 30 * n * d + 2 * static_cast<double>(size_.heads) * n * n;
  const double composed = evaluations * 4.0 * static_cast<double>(size_.depth) * block;
  if (!trains_fused()) return composed;
  return std::min(composed, static_cast<double>(kernels::activation_budget_bytes()) + 4e7);
}

std::int64_t Sit::micro_batch_rows(double evaluations) const {
  return trains_fused() ? kernels::comfortable_rows(size_, evaluations) : 0;
}

bool Sit::trains_fused() const {
  const auto& weight = patch_->weight;
  return options_.engine != "composed" && size_.depth <= kernels::most_fused_blocks &&
         weight.scalar_type() == torch::kFloat && weight.device().is_cpu();
}

double Sit::flops() const {
  const double d = static_cast<double>(size_.dim);
  return kernels::forward_flops(size_) + step_->flops() +
         2 * d * static_cast<double>(size_.modulation_values());
}

}  // namespace cvf::fields
