// What the CPU kernels can read without a library's help.
#pragma once

#include "core/torch.hpp"

namespace cvf::kernels {

inline bool is_plain_float(const torch::Tensor& t) {
  return t.device().is_cpu() && t.scalar_type() == torch::kFloat && t.layout() == torch::kStrided;
}

/// And its values follow one another.
inline bool is_dense_float(const torch::Tensor& t) {
  return is_plain_float(t) && t.is_contiguous();
}

}  // namespace cvf::kernels
