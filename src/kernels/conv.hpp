// The convolution field: a 3x3 lift to `dim` channels, residual blocks
//   x += (1 + gate) * mix( f( spatial(x) * (1 + scale) + shift ) )
// with a dilated 3x3 convolution `spatial`, a 1x1 convolution `mix` and an activation f, then a 3x3
// convolution of f(x) back to the state's channels. Kernels run along x only where the field is made for one
// axis. The step embedding stays outside; it arrives as `modulation`: (shift, scale, gate) of each block, D
// values each.
//
// As for SiT the function exists twice: composed of library operations (any device, float or double, any
// order of gradient) and fused for the CPU. `evaluate` chooses.
#pragma once

#include <memory>
#include <vector>

#include "core/boundary.hpp"
#include "kernels/sit.hpp"

namespace cvf::kernels {

/// The numbers that fix a network; the grid comes with each state.
struct ConvSize {
  std::int64_t channels = 1;
  std::int64_t patch_y = 1, patch_x = 1;  // pixels of the state that become the channels of one cell
  std::int64_t dim = 32;
  std::vector<std::int64_t> dilations{1, 2, 4};  // one for each block
  bool along_x = false;                          // kernels of 1x3 instead of 3x3
  AxisBoundary boundary_y, boundary_x;
  bool silu = true;  // the activation; false: GELU, tanh form

  std::int64_t inputs() const { return channels * patch_y * patch_x; }
  std::int64_t taps() const { return along_x ? 3 : 9; }
  std::int64_t modulation_values() const { return static_cast<std::int64_t>(dilations.size()) * 3 * dim; }
};

/// Multiply-adds counted as two, for one sample on a grid of so many pixels (without the step embedding).
double forward_flops(const ConvSize& size, std::int64_t height, std::int64_t width);

/// Which cell of an axis of n cells stands at place i, which may lie outside: periodic axes wrap, walls
/// mirror, other boundaries repeat the cell at the edge.
std::int64_t source_cell(std::int64_t i, std::int64_t n, const AxisBoundary& axis);

struct ConvBlock {
  Linear spatial;  // weight [D,D,3,3] or [D,D,1,3]
  Linear mix;      // weight [D,D]
};

class ConvCache;  // conv_network.cpp

struct ConvTrunk {
  ConvSize size;
  Linear lift;  // weight [D,inputs,3,3]
  std::vector<ConvBlock> blocks;
  Linear output;                     // weight [inputs,D,3,3]
  std::shared_ptr<ConvCache> cache;  // of the fused kernels; without one the composed operations run
};

/// A field makes one and hands it out with every trunk.
std::shared_ptr<ConvCache> make_conv_cache();

/// state [B,C,H,W], modulation [B, blocks*3*D] -> psi [B,C,H,W]
torch::Tensor evaluate(const ConvTrunk& trunk, Engine engine, const torch::Tensor& state,
                       const torch::Tensor& modulation);
bool fused_applies(const ConvTrunk& trunk, Engine engine, const torch::Tensor& state,
                   const torch::Tensor& modulation);

torch::Tensor fused_conv(const ConvTrunk& trunk, const torch::Tensor& state, const torch::Tensor& modulation);
torch::Tensor composed_conv(const ConvTrunk& trunk, const torch::Tensor& state,
                            const torch::Tensor& modulation);

/// Samples on such a grid whose evaluations, so many each, stay within the activation budget (batch.hpp).
std::int64_t comfortable_rows(const ConvSize& size, std::int64_t height, std::int64_t width,
                              double evaluations);

/// lift, then spatial and mix of each block, then output; weight before bias.
std::vector<torch::Tensor> flat_weights(const ConvTrunk& trunk);

}  // namespace cvf::kernels
