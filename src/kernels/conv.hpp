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

#include "kernels/sit.hpp"

namespace cvf::kernels {

/// Multiply-adds counted as two, for one sample on a grid of so many pixels (without the step embedding).
double forward_flops(const ConvSize& size, std::int64_t height, std::int64_t width);

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
