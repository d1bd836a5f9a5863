// Whether a model may be used on a grid: its own, or, where the field has no positions, any of the same
// spacing.
#pragma once

#include <cmath>
#include <string>

#include "data/source.hpp"
#include "model/trained_model.hpp"

namespace cvf::rollout {

struct Grid {
  std::int64_t ny = 1, nx = 1;
  double dy = NAN, dx = NAN;  // between neighbouring cells; NaN: not known, or one cell only
};

Grid grid_of(const data::Description& description);
Grid grid_of(const model::StateFacts& facts);

/// What is wrong with the grid for the model, to go after "FILE: "; empty when nothing is. Spacings may
/// differ by a thousandth. `any_spacing`: they are not compared.
std::string misfit(const Grid& grid, const model::TrainedModel& model, bool any_spacing);

}  // namespace cvf::rollout
