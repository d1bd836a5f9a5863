// The token stream of the SiT network: patches, blocks, final layer. The step embedding stays outside; it
// arrives as `modulation`, which for every sample holds (shift1, scale1, gate1, shift2, scale2, gate2) of
// each block and (shift, scale) of the final layer, D values each.
//
// The same function exists twice: composed of library operations (any device, float or double, any order of
// gradient) and fused for the CPU. `evaluate` chooses.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/torch.hpp"
#include "kernels/sizes.hpp"

namespace cvf::kernels {

/// Multiply-adds counted as two, for one sample through the token stream (the step embedding is not in it).
double forward_flops(const SitSize& size);

struct Linear {
  torch::Tensor weight, bias;  // [out,in], [out]
};

struct SitBlock {
  Linear qkv, project, expand, contract;
};

class WeightCache;  // sit_engine.hpp

struct SitTrunk {
  SitSize size;
  Linear patch;
  torch::Tensor positions;  // [N,D], constant
  std::vector<SitBlock> blocks;
  Linear output;
  std::shared_ptr<WeightCache> cache;  // of the fused kernels; without one the composed operations run
};

/// A field makes one and hands it out with every trunk.
std::shared_ptr<WeightCache> make_weight_cache();

enum class Engine { automatic, composed };

/// state [B,C,H,W], modulation [B, depth*6*D + 2*D] -> psi [B,C,H,W]
torch::Tensor evaluate(const SitTrunk& trunk, Engine engine, const torch::Tensor& state,
                       const torch::Tensor& modulation);

constexpr std::int64_t most_fused_blocks = 128;
bool fused_applies(const SitTrunk& trunk, Engine engine, const torch::Tensor& state,
                   const torch::Tensor& modulation);

torch::Tensor fused_sit(const SitTrunk& trunk, const torch::Tensor& state, const torch::Tensor& modulation);
torch::Tensor composed_sit(const SitTrunk& trunk, const torch::Tensor& state,
                           const torch::Tensor& modulation);

/// Samples whose evaluations, so many each, stay within the activation budget (batch.hpp); a multiple of the
/// threads.
std::int64_t comfortable_rows(const SitSize& size, double evaluations);

/// The results of several linear layers on one x [B,in], side by side. The automatic engine takes one pass
/// over the weights where a few vectors need no gradient.
torch::Tensor linears_beside(const torch::Tensor& x, const std::vector<Linear>& layers, Engine engine);

/// Attention over [B,heads,N,head_dim], the library's fused one where this LibTorch has it.
torch::Tensor attention(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v);

/// x*(1+scale)+shift of the normalised x, no affine part of its own. x [B,...,D], shift and scale
/// broadcastable to it.
torch::Tensor modulated_norm(const torch::Tensor& x, const torch::Tensor& shift, const torch::Tensor& scale);

// A linear layer on our own products. LibTorch's BLAS may be several times slower on a CPU that it does not
// know.

/// x [B,in] -> x w^T + bias [B,out]. The automatic engine takes our own product for float32 on the CPU where
/// it pays.
torch::Tensor linear(const torch::Tensor& x, const Linear& layer, Engine engine);

}  // namespace cvf::kernels
