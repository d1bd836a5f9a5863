// Whether a model may be used on a grid: its own, or, where the field has no positions, any of the same
// spacing.
#pragma once

#include <cstdint>
#include <string>

#include "core/state_spec.hpp"

namespace cvf::model {

/// What is wrong with the grid for a model that was trained on `own`; empty when nothing is. Spacings may
/// differ by a thousandth. `any_spacing`: they are not compared.
std::string misfit(const StateSpec& grid, const StateSpec& own, bool any_grid, bool any_spacing);

/// The states of a model on so many cells; spacings that are not above 0 are those of training.
StateSpec on_grid(const StateSpec& own, std::int64_t ny, std::int64_t nx, double dy, double dx);

}  // namespace cvf::model
