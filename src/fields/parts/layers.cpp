#include "fields/parts/layers.hpp"

#include <cmath>
#include <string>

#include "core/random.hpp"
#include "fields/networks.hpp"
#include "kernels/sit.hpp"

namespace cvf::fields {

void initialise(const torch::Tensor& weight, const torch::Tensor& bias, Draw draw, std::uint64_t seed,
                std::string_view name) {
  torch::NoGradGuard no_grad;
  bias.zero_();
  weight.zero_();
  if (draw == Draw::zero) return;
  RandomStream stream(seed, "field/" + std::string(name));
  const double taps = static_cast<double>(weight[0][0].numel());  // of a convolution; 1 for a matrix
  const double reach = std::sqrt(6.0 / (taps * static_cast<double>(weight.size(0) + weight.size(1))));
  const torch::Tensor values = torch::empty_like(weight, torch::kDouble);
  double* out = values.data_ptr<double>();
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    out[i] = draw == Draw::xavier ? stream.uniform(-reach, reach) : 0.02 * stream.normal();
  }
  weight.copy_(values);
}

void initialise(const torch::nn::Linear& linear, Draw draw, std::uint64_t seed, std::string_view name) {
  initialise(linear->weight, linear->bias, draw, seed, name);
}

StepEmbeddingImpl::StepEmbeddingImpl(std::int64_t dim, double dt_ref, std::int64_t conditions,
                                     std::uint64_t seed)
    : dt_ref_(dt_ref) {
  first_ = register_module("first", torch::nn::Linear(2 * step_waves, dim));
  second_ = register_module("second", torch::nn::Linear(dim, dim));
  initialise(first_, Draw::normal, seed, "step.first");
  initialise(second_, Draw::normal, seed, "step.second");
  if (conditions > 0) {
    context_ = register_module("context", torch::nn::Linear(conditions, dim));
    initialise(context_, Draw::xavier, seed, "step.context");
  }
  const auto i = torch::arange(step_waves, torch::kDouble);
  const auto table =
      torch::exp(i * (-std::log(100.0) / static_cast<double>(step_waves)));  // f_i = exp(-ln(100) i/64)
  frequencies_ = register_buffer("frequencies", table.to(torch::kFloat));
}

torch::Tensor StepEmbeddingImpl::forward(const torch::Tensor& dt, const torch::Tensor& conditions,
                                         kernels::Engine engine) {
  const torch::Tensor tau = (dt.to(torch::kDouble) / dt_ref_).unsqueeze(1);
  const torch::Tensor angles = tau * frequencies_;  // [B,64]
  const torch::Tensor wave = torch::cat({angles.cos(), angles.sin()}, 1).to(first_->weight.dtype());
  const auto linear = [engine](const torch::Tensor& x, const torch::nn::Linear& l) {
    return kernels::linear(x, {l->weight, l->bias}, engine);
  };
  torch::Tensor hidden = linear(wave, first_);
  if (conditions.defined()) hidden = hidden + linear(conditions, context_);
  return torch::silu(linear(torch::silu(hidden), second_));
}

double StepEmbeddingImpl::flops() const {
  const auto context = context_.is_empty() ? 0 : context_->weight.numel();
  return 2.0 * static_cast<double>(first_->weight.numel() + second_->weight.numel() + context);
}

}  // namespace cvf::fields
