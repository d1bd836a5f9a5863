// How a field learns about its step: tau = dt/dt_ref -> 128 cosines and sines -> Linear -> SiLU -> Linear ->
// SiLU. The conditions of the context (parameters, controls) join before the first SiLU.
#pragma once

#include "core/torch.hpp"
#include "kernels/sit.hpp"

namespace cvf::fields {

class StepEmbeddingImpl : public torch::nn::Module {
 public:
  StepEmbeddingImpl(std::int64_t dim, double dt_ref, std::int64_t conditions, std::uint64_t seed);

  /// dt [B] or [1], conditions [B,Q] or undefined -> c [B,D] or [1,D]
  torch::Tensor forward(const torch::Tensor& dt, const torch::Tensor& conditions, kernels::Engine engine);
  double flops() const;
  static double values(double dim, std::int64_t conditions);  // numbers in its layers and buffer

 private:
  torch::nn::Linear first_{nullptr}, second_{nullptr}, context_{nullptr};
  torch::Tensor frequencies_;  // [64]
  double dt_ref_;
};
TORCH_MODULE(StepEmbedding);

}  // namespace cvf::fields
