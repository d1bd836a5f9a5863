// The numbers that fix the shape of a SiT network.
#pragma once

#include <cstdint>

namespace cvf::kernels {

struct SitSize {
  std::int64_t channels = 1, height = 1, width = 1;  // of the state
  std::int64_t patch = 4, dim = 96, depth = 4, heads = 4;

  std::int64_t tokens() const { return (height / patch) * (width / patch); }
  std::int64_t patch_values() const { return channels * patch * patch; }
  std::int64_t head_dim() const { return dim / heads; }
  std::int64_t modulation_values() const { return depth * 6 * dim + 2 * dim; }  // of one sample
  bool operator==(const SitSize&) const = default;
};

/// Multiply-adds counted as two, for one sample through the token stream (the step embedding is not in it).
double forward_flops(const SitSize& size);

}  // namespace cvf::kernels
