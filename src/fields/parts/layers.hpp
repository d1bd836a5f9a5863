// What the fields are built of: first values of weights, and the embedding of the step.
#pragma once

#include <string_view>

#include "core/torch.hpp"
#include "kernels/sit.hpp"

namespace cvf::fields {

/// First values of weights, each from the seed's stream of its own name.
enum class Draw { zero, xavier, normal };  // xavier: uniform; normal: standard deviation 0.02

/// Fills a weight [out,in,...]; the bias becomes 0.
void initialise(const torch::Tensor& weight, const torch::Tensor& bias, Draw draw, std::uint64_t seed,
                std::string_view name);
void initialise(const torch::nn::Linear& linear, Draw draw, std::uint64_t seed, std::string_view name);

/// How a field learns about its step: tau = dt/dt_ref -> 128 cosines and sines -> Linear -> SiLU -> Linear ->
/// SiLU. The conditions of the context (parameters, controls) join before the first SiLU.
class StepEmbeddingImpl : public torch::nn::Module {
 public:
  StepEmbeddingImpl(std::int64_t dim, double dt_ref, std::int64_t conditions, std::uint64_t seed);

  /// dt [B] or [1], conditions [B,Q] or undefined -> c [B,D] or [1,D]
  torch::Tensor forward(const torch::Tensor& dt, const torch::Tensor& conditions, kernels::Engine engine);
  double flops() const;

 private:
  torch::nn::Linear first_{nullptr}, second_{nullptr}, context_{nullptr};
  torch::Tensor frequencies_;  // [64]
  double dt_ref_;
};
TORCH_MODULE(StepEmbedding);

}  // namespace cvf::fields
