// What a network is before it has weights: its options, what they come to for a shape of states, and the
// names and sizes of its tensors.
#pragma once

#include <string>
#include <vector>

#include "core/config.hpp"
#include "fields/shape.hpp"
#include "kernels/sizes.hpp"

namespace cvf::fields {

/// Far beyond any network that trains; a depth above it is a slip of the hand.
inline constexpr int most_blocks = 10'000;

struct TensorSize {
  std::string name;
  std::vector<std::int64_t> sizes;
};

struct ConvOptions {
  int width = 32;
  int depth = 1;
  std::vector<std::int64_t> dilations{1, 2, 4};
  int patch = 1;
  std::string activation = "silu";
  std::string boundary = "auto";
  bool conditioned = true;
  std::string engine = "auto";

  void describe(config::Section& section);
  /// How many numbers a field of this kind has, in floating point: a hostile size must not overflow.
  double values(const StateShape& shape) const;
  std::vector<TensorSize> tensors(const StateShape& shape) const;
  /// A ConfigError says what does not fit the shape; the same below.
  kernels::ConvSize size(const StateShape& shape) const;
  std::int64_t step_dim() const { return width < 64 ? 64 : width; }  // of the step embedding
};

struct SitOptions {
  int patch = 4;
  int width = 512;
  int depth = 8;
  int heads = 8;
  bool conditioned = true;
  std::string engine = "auto";

  void describe(config::Section& section);
  /// How many numbers a field of this kind has, in floating point: a hostile size must not overflow.
  double values(const StateShape& shape) const;
  std::vector<TensorSize> tensors(const StateShape& shape) const;
  kernels::SitSize size(const StateShape& shape) const;
};

struct MlpOptions {
  int width = 128;
  int depth = 3;
  int expansion = 1;
  bool conditioned = true;
  std::string engine = "auto";

  void describe(config::Section& section);
  /// How many numbers a field of this kind has, in floating point: a hostile size must not overflow.
  double values(const StateShape& shape) const;
  std::vector<TensorSize> tensors(const StateShape& shape) const;
  void check(const StateShape& shape) const;
};

/// Waves of the step embedding: so many cosines, as many sines.
inline constexpr std::int64_t step_waves = 64;

/// Numbers in a linear layer.
constexpr double linear_values(double in, double out) {
  return (in + 1) * out;
}
/// Numbers in the layers and the buffer of a step embedding.
double step_values(double dim, std::int64_t conditions);

}  // namespace cvf::fields
