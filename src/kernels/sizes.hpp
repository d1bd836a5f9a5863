// The sizes of the networks, as numbers: what plans, packing and fields agree on.
#pragma once

#include <cstdint>
#include <vector>

#include "core/state_spec.hpp"

namespace cvf::kernels {

/// The numbers that fix the shape of a SiT network.
struct SitSize {
  std::int64_t channels = 1, height = 1, width = 1;  // of the state
  std::int64_t patch = 4, dim = 96, depth = 4, heads = 4;

  std::int64_t tokens() const { return (height / patch) * (width / patch); }
  std::int64_t patch_values() const { return channels * patch * patch; }
  std::int64_t head_dim() const { return dim / heads; }
  std::int64_t modulation_values() const { return depth * 6 * dim + 2 * dim; }  // of one sample
  bool operator==(const SitSize&) const = default;
};

/// The numbers that fix a convolution field; the grid comes with each state.
struct ConvSize {
  std::int64_t channels = 1;
  std::int64_t patch_y = 1, patch_x = 1;  // pixels of the state that become the channels of one cell
  std::int64_t dim = 32;
  std::vector<std::int64_t> dilations{1, 2, 4};  // one for each block
  bool along_x = false;                          // kernels of 1x3 instead of 3x3
  AxisBoundary boundary_y, boundary_x;
  bool silu = true;      // the activation; false: GELU, tanh form
  bool winograd = true;  // for the 3x3 kernels of the blocks, where the grid allows it

  std::int64_t inputs() const { return channels * patch_y * patch_x; }
  std::int64_t taps() const { return along_x ? 3 : 9; }
  std::int64_t modulation_values() const { return static_cast<std::int64_t>(dilations.size()) * 3 * dim; }
};

/// The numbers that fix the network for vector states.
struct MlpSize {
  std::int64_t channels = 1, dim = 128, inner = 128, depth = 3;

  std::int64_t modulation_values() const { return depth * 3 * dim + 2 * dim; }  // of one sample
};

/// Which cell of an axis of n cells stands at place i, which may lie outside: periodic axes wrap, walls
/// mirror, other boundaries repeat the cell at the edge.
std::int64_t source_cell(std::int64_t i, std::int64_t n, const AxisBoundary& axis);

}  // namespace cvf::kernels
