#include "rollout/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cvf::rollout {
namespace {

std::string words(double spacing) {
  return std::isnan(spacing) ? "an unknown spacing" : fmt::format("a spacing of {:.6g}", spacing);
}

std::string words(const StateSpec& grid) {
  return grid.is_vector() ? "no grid" : "a grid of " + grid.grid_text();
}

bool same_axes(const StateSpec& a, const StateSpec& b) {
  return std::ranges::equal(a.axes, b.axes, {}, &Axis::name, &Axis::name);
}

// Where both sizes agree, coordinates that nobody knows are no reason to refuse what was accepted before the
// file lost them.
std::string misfit_along(const Axis& here, const Axis& own, bool same_size) {
  const double spacing = here.spacing(), trained = own.spacing();
  if (own.size == 1 || (same_size && (std::isnan(spacing) || std::isnan(trained)))) return "";
  if (std::abs(spacing - trained) <= 1e-3 * trained) return "";
  return fmt::format("has {} along {}, but the model was trained on {}", words(spacing), own.name,
                     words(trained));
}

}  // namespace

std::string misfit(const StateSpec& grid, const model::TrainedModel& model, bool any_spacing) {
  const StateSpec& own = model.spec.state;
  const bool same_size = grid.same_grid(own);
  const bool any_grid = model.field && model.field->any_grid();
  if (!same_size && !(any_grid && same_axes(grid, own)))
    return fmt::format("has {}, but the model was trained on {}", words(grid), words(own));
  if (!any_grid || any_spacing) return "";
  for (std::size_t i = 0; i < own.axes.size(); ++i) {
    const std::string wrong = misfit_along(grid.axes[i], own.axes[i], same_size);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace cvf::rollout
