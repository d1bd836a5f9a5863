// What a network is before it has weights: its options, what they come to for a shape of states, and the
// names and sizes of its tensors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/config.hpp"
#include "core/state_spec.hpp"
#include "kernels/sizes.hpp"

namespace cvf::fields {

/// What a field is made for: the shape of its states and of what lies beside them, and the unit of its step.
struct StateShape {
  std::int64_t channels = 1, height = 0, width = 0;  // height = width = 0: a vector state [B,C]
  double dt_ref = 1;                                 // training frame interval: tau = dt / dt_ref
  GridBoundary boundary{};                           // what lies beyond the sides of the grid
  // The context: parameters, static fields, controls and control fields, seen at so many nodes of a step.
  std::int64_t parameters = 0, statics = 0, controls = 0, control_fields = 0, nodes = 2;

  std::int64_t conditions() const { return parameters + nodes * controls; }  // numbers for the whole state
  std::int64_t beside() const { return statics + nodes * control_fields; }   // numbers for each cell
  bool is_vector() const { return height == 0; }
};

/// The shape of these states, with a step in units of dt_ref; the context is added behind. A ConfigError for
/// states of three axes, which no field takes yet.
StateShape shape_of(const StateSpec& state, double dt_ref);

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
  kernels::MlpSize size(const StateShape& shape) const;
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
