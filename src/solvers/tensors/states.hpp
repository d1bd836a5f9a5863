// Tensors as the states of a solver: fused loops for contiguous float and double on the CPU, library
// operations for everything else.
#pragma once

#include "core/torch.hpp"
#include "solvers/states.hpp"

namespace cvf::solvers {

Batch tensor_states(const torch::Tensor& tensor);
const torch::Tensor& tensor_of(const States& states);

}  // namespace cvf::solvers
