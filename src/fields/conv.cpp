#include "fields/conv.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "kernels/batch.hpp"
#include "kernels/layer_hook.hpp"

namespace cvf::fields {
namespace {

template <class Layer>
kernels::Linear view(const Layer& l) {
  return {l->weight, l->bias};
}

}  // namespace

Conv::Conv(const StateShape& shape, const Options& options, std::uint64_t seed)
    : VelocityField(shape),
      options_(options),
      size_(options.size(shape)),
      cache_(kernels::make_conv_cache()) {
  lift_ = register_module("lift", make_kernel(size_.inputs(), size_.dim, Draw::xavier, seed, "lift"));
  step_ = register_module("step", StepEmbedding(options.step_dim(), shape.dt_ref, shape.conditions(), seed));
  auto blocks = register_module("blocks", std::make_shared<torch::nn::Module>());
  for (std::size_t i = 0; i < size_.dilations.size(); ++i) add_block(*blocks, i, seed);
  output_ = register_module("output", make_kernel(size_.dim, size_.inputs(), Draw::zero, seed, "output"));
}

Conv::KernelPointer Conv::make_kernel(std::int64_t in, std::int64_t out, Draw draw, std::uint64_t seed,
                                      const std::string& name) const {
  auto kernel = std::make_shared<Kernel>();
  kernel->weight = kernel->register_parameter("weight", torch::empty({out, in, size_.along_x ? 1 : 3, 3}));
  kernel->bias = kernel->register_parameter("bias", torch::empty({out}));
  initialise(kernel->weight, kernel->bias, draw, seed, name);
  return kernel;
}

void Conv::add_block(torch::nn::Module& parent, std::size_t index, std::uint64_t seed) {
  auto holder = parent.register_module(fmt::format("{}", index), std::make_shared<torch::nn::Module>());
  const auto name = [&](const char* part) { return fmt::format("blocks.{}.{}", index, part); };
  const auto linear = [&](const char* part, std::int64_t in, std::int64_t out, Draw draw) {
    torch::nn::Linear layer = holder->register_module(part, torch::nn::Linear(in, out));
    initialise(layer, draw, seed, name(part));
    return layer;
  };
  const auto dim = size_.dim, embedding = options_.step_dim();
  blocks_.push_back(
      {holder->register_module("spatial", make_kernel(dim, dim, Draw::xavier, seed, name("spatial"))),
       linear("mix", dim, dim, Draw::xavier), linear("modulate", embedding, 3 * dim, Draw::zero)});
}

torch::Tensor Conv::modulation(const torch::Tensor& dt, const torch::Tensor& conditions) {
  const torch::Tensor c =
      kernels::hooked("step", step_(options_.conditioned ? dt : torch::zeros_like(dt), conditions, engine()));
  std::vector<kernels::Linear> layers;
  for (const auto& block : blocks_) layers.push_back(view(block.modulate));
  return kernels::linears_beside(c, layers, engine());
}

kernels::Engine Conv::engine() const {
  return options_.engine == "composed" ? kernels::Engine::composed : kernels::Engine::automatic;
}

kernels::ConvTrunk Conv::trunk() const {
  kernels::ConvTrunk out{size_, view(lift_), {}, view(output_), cache_};
  for (const auto& b : blocks_) out.blocks.push_back({view(b.spatial), view(b.mix)});
  return out;
}

// What lies beside the state enters as further channels; what the trunk says of them is not asked for.
torch::Tensor Conv::forward(const Query& query) {
  check(query);
  const torch::Tensor psi = kernels::evaluate(trunk(), engine(), with_beside(query),
                                              modulation(query.dt, query.context.conditions()));
  return shape().beside() > 0 ? psi.narrow(1, 0, shape().channels) : psi;
}

// Composed operations hold the padded input, convolution, FiLM, activation and mix of each block, forward and
// backward; the fused ones keep to a budget and compute the rest again.
double Conv::training_bytes(double evaluations) const {
  const double cells = static_cast<double>(shape().height / size_.patch_y * (shape().width / size_.patch_x));
  const double plane = 4.0 * cells * static_cast<double>(size_.dim);
  const double composed = evaluations * 8.0 * plane * static_cast<double>(blocks_.size());
  if (!trains_fused()) return composed;
  return std::min(composed, static_cast<double>(kernels::activation_budget_bytes()) + 4e7);
}

std::int64_t Conv::micro_batch_rows(double evaluations) const {
  return trains_fused() ? kernels::comfortable_rows(size_, shape().height, shape().width, evaluations) : 0;
}

bool Conv::trains_fused() const {
  const auto& weight = lift_->weight;
  return options_.engine != "composed" && weight.scalar_type() == torch::kFloat && weight.device().is_cpu();
}

double Conv::flops() const {
  double step = step_->flops();
  for (const auto& b : blocks_) step += 2.0 * static_cast<double>(b.modulate->weight.numel());
  return kernels::forward_flops(size_, shape().height, shape().width) + step;
}

}  // namespace cvf::fields
