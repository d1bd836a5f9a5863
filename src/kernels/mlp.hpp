// The network for vector states: a linear layer to D values, residual blocks
//   x += gate * contract( GELU( expand( norm(x) * (1 + scale) + shift ) ) )
// and a linear layer of norm(x) * (1 + scale) + shift back to the state's channels. The step embedding stays
// outside; it arrives as `modulation`: (shift, scale, gate) of each block and (shift, scale) of the end, D
// values each.
//
// As for SiT the function exists twice: composed of library operations (any device, float or double, any
// order of gradient) and fused for the CPU. `evaluate` chooses.
#pragma once

#include <memory>
#include <vector>

#include "kernels/sit.hpp"

namespace cvf::kernels {

struct MlpBlock {
  Linear expand, contract;
};

class MlpCache;  // mlp_network.cpp

struct MlpTrunk {
  MlpSize size;
  Linear input;
  std::vector<MlpBlock> blocks;
  Linear output;
  std::shared_ptr<MlpCache> cache;  // of the fused kernels; without one the composed operations run
};

/// A field makes one and hands it out with every trunk.
std::shared_ptr<MlpCache> make_mlp_cache();

/// state [B,C], modulation [B, depth*3*D + 2*D], or of one row for all -> psi [B,C]
torch::Tensor evaluate(const MlpTrunk& trunk, Engine engine, const torch::Tensor& state,
                       const torch::Tensor& modulation);

torch::Tensor fused_mlp(const MlpTrunk& trunk, const torch::Tensor& state, const torch::Tensor& modulation);
torch::Tensor composed_mlp(const MlpTrunk& trunk, const torch::Tensor& state,
                           const torch::Tensor& modulation);

/// input, then expand and contract of each block, then output; weight before bias.
std::vector<torch::Tensor> flat_weights(const MlpTrunk& trunk);

}  // namespace cvf::kernels
