// How a field learns about its step: tau = dt/dt_ref -> 128 cosines and sines -> Linear -> SiLU -> Linear ->
// SiLU.
#pragma once

#include "core/torch.hpp"
#include "kernels/sit.hpp"

namespace cvf::fields {

class StepEmbeddingImpl : public torch::nn::Module {
 public:
  StepEmbeddingImpl(std::int64_t dim, double dt_ref, std::uint64_t seed);

  torch::Tensor forward(const torch::Tensor& dt, kernels::Engine engine);  // [B] -> c [B,D]
  double flops() const;
  static double values(double dim);  // numbers in its layers and buffer

 private:
  torch::nn::Linear first_{nullptr}, second_{nullptr};
  torch::Tensor frequencies_;  // [64]
  double dt_ref_;
};
TORCH_MODULE(StepEmbedding);

}  // namespace cvf::fields
