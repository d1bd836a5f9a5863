#include "rollout/grid.hpp"

#include "model/grid.hpp"

namespace cvf::rollout {

std::string misfit(const StateSpec& grid, const model::TrainedModel& model, bool any_spacing) {
  return model::misfit(grid, model.spec.state, model.field && model.field->any_grid(), any_spacing);
}

}  // namespace cvf::rollout
