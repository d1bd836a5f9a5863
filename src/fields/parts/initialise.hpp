// First values of weights, each from the seed's stream of its own name.
#pragma once

#include <string_view>

#include "core/torch.hpp"

namespace cvf::fields {

enum class Draw { zero, xavier, normal };  // xavier: uniform; normal: standard deviation 0.02

/// Fills a weight [out,in,...]; the bias becomes 0.
void initialise(const torch::Tensor& weight, const torch::Tensor& bias, Draw draw, std::uint64_t seed,
                std::string_view name);
void initialise(const torch::nn::Linear& linear, Draw draw, std::uint64_t seed, std::string_view name);

/// Numbers in a linear layer, in floating point: a hostile size must not overflow before it is refused.
constexpr double linear_values(double in, double out) {
  return (in + 1) * out;
}

}  // namespace cvf::fields
