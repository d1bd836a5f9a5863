// Whether a model may be used on a grid: its own, or, where the field has no positions, any of the same
// spacing.
#pragma once

#include <string>

#include "core/state_spec.hpp"
#include "model/trained_model.hpp"

namespace cvf::rollout {

/// What is wrong with the grid for the model, to go after "FILE: "; empty when nothing is. Spacings may
/// differ by a thousandth. `any_spacing`: they are not compared.
std::string misfit(const StateSpec& grid, const model::TrainedModel& model, bool any_spacing);

}  // namespace cvf::rollout
