// Tensors gathered into flat pieces, so that a collective moves a few large messages instead of many small
// ones.
#pragma once

#include <span>
#include <vector>

#include "core/torch.hpp"

namespace cvf::train {

/// Consecutive tensors of one type on one device. A large contiguous tensor alone in its bucket is not
/// copied.
struct Bucket {
  std::vector<torch::Tensor> members;
  torch::Tensor flat;  // defined by pack()

  void pack();
  void unpack();  // flat back into the members
};

/// How the tensors are dealt out depends on their order, types and sizes only: on every rank the same.
/// Undefined tensors are passed over.
std::vector<Bucket> buckets(std::span<const torch::Tensor> tensors, double bytes);

}  // namespace cvf::train
