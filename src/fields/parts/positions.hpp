// Fixed sine-cosine positions of the tokens of a grid.
#pragma once

#include "core/torch.hpp"

namespace cvf::fields {

/// [rows*columns, dim] double: the first half of the values tells the row, the second the column; each half
/// holds sin(w_i p) then cos(w_i p), w_i = 10000^(-i/(dim/4)).
torch::Tensor grid_positions(std::int64_t rows, std::int64_t columns, std::int64_t dim);

}  // namespace cvf::fields
