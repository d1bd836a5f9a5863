// A linear layer on our own products. LibTorch's BLAS may be several times slower on a CPU that it does not
// know.
#pragma once

#include "kernels/sit.hpp"

namespace cvf::kernels {

/// x [B,in] -> x w^T + bias [B,out]. The automatic engine takes our own product for float32 on the CPU where
/// it pays.
torch::Tensor linear(const torch::Tensor& x, const Linear& layer, Engine engine);

}  // namespace cvf::kernels
