// AdamW in one pass over the parameters.
#pragma once

#include <cstdint>
#include <vector>

#include "core/torch.hpp"

namespace cvf::kernels {

struct AdamWOptions {
  double learning_rate = 1e-4, beta1 = 0.9, beta2 = 0.99, epsilon = 1e-8, decay = 0.01;
};

/// One AdamW step as PyTorch defines it (decoupled decay, bias correction), on the parameters that have a
/// gradient; decay applies to matrices only. `step` counts from 1. Float on the CPU runs fused; everything
/// else on library operations.
void fused_adamw(std::vector<torch::Tensor>& parameters, std::vector<torch::Tensor>& means,
                 std::vector<torch::Tensor>& squares, std::int64_t step, const AdamWOptions& options);

}  // namespace cvf::kernels
