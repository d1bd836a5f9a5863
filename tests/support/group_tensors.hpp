// What the ranks of the group's tests bring along: tensors that depend on the rank and on nothing else.
#pragma once

#include <vector>

#include "core/torch.hpp"

namespace cvf::testing_support {

/// Awkward on purpose: a scalar, an odd length, a transposed view, two types, one larger than a bucket.
inline std::vector<torch::Tensor> tensors_of_rank(int rank) {
  torch::manual_seed(100 + rank);
  return {torch::randn({}),
          torch::randn({7}),
          torch::randn({33, 5}).t(),
          torch::Tensor(),
          torch::randn({3}, torch::kDouble),
          torch::randn({300000}),
          torch::randn({1000})};
}

}  // namespace cvf::testing_support
