// Whether a model may be used on a grid: its own, or, where the field has no positions, any of the same
// spacing.
#pragma once

#include <string>

#include "core/state_spec.hpp"
#include "model/trained_model.hpp"

namespace cvf::rollout {

/// As model/grid.hpp has it, to go after "FILE: ".
std::string misfit(const StateSpec& grid, const model::TrainedModel& model, bool any_spacing);

}  // namespace cvf::rollout
