// Random numbers for the rows of a batch, each kind from its own named stream: switching one option on does
// not change what the others draw.
#pragma once

#include "objectives/objective.hpp"

namespace cvf::objectives {

/// How a whole is cut into parts: Dirichlet(1) or Dirichlet(2) (for two parts: uniform and Beta(2,2)), or
/// equal parts.
enum class Cut { uniform, beta, even };

torch::Tensor draw_shares(const DrawRange& range, int parts, Cut cut);  // [parts, B]
torch::Tensor draw_points(const DrawRange& range);                      // [B], U(0,1)

/// [B]: with this probability U(0,1), else 1.
torch::Tensor draw_spans(const DrawRange& range, double probability);

}  // namespace cvf::objectives
