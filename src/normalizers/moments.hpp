// Running mean and variance of each channel.
#pragma once

#include <vector>

#include "core/torch.hpp"

namespace cvf::normalizers {

struct Moments {
  torch::Tensor mean, variance;  // [C], double

  explicit Moments(std::int64_t channels);

  /// The moments of these values [B,C,...], over everything but the channel.
  static Moments of(const torch::Tensor& values);

  /// The moments of several parts of one size together.
  static Moments merged(const std::vector<Moments>& parts);

  /// Moves towards these moments by 1 - decay.
  void follow(const Moments& other, double decay);

  torch::Tensor deviation(double epsilon) const;  // sqrt(variance + epsilon), [C]
};

/// [C] -> [1,C,1,...] in the dtype and on the device of `like` [B,C,...].
torch::Tensor per_channel(const torch::Tensor& values, const torch::Tensor& like);

}  // namespace cvf::normalizers
