// Memory for time: a function whose intermediate values are not kept for the backward pass but computed
// again.
#pragma once

#include <functional>
#include <vector>

#include "core/torch.hpp"

namespace cvf::objectives {

/// function(input), differentiable once with respect to the input and the parameters that it uses. The
/// function must still be callable, and the parameters unchanged, when the backward pass runs.
torch::Tensor recomputed(const std::function<torch::Tensor(const torch::Tensor&)>& function,
                         const torch::Tensor& input, const std::vector<torch::Tensor>& parameters);

}  // namespace cvf::objectives
