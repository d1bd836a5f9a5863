#include "model/grid.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"

namespace cvf::model {
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

std::string misfit(const StateSpec& grid, const StateSpec& own, bool any_grid, bool any_spacing) {
  const bool same_size = grid.same_grid(own);
  if (!same_size && !(any_grid && same_axes(grid, own)))
    return fmt::format("has {}, but the model was trained on {}", words(grid), words(own));
  if (!any_grid || any_spacing) return "";
  for (std::size_t i = 0; i < own.axes.size(); ++i) {
    const std::string wrong = misfit_along(grid.axes[i], own.axes[i], same_size);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

StateSpec on_grid(const StateSpec& own, std::int64_t ny, std::int64_t nx, double dy, double dx) {
  if (ny < 1 || nx < 1) throw UsageError("a grid of {} x {}: give one cell or more along y and x", ny, nx);
  for (const double spacing : {dy, dx}) {
    if (!std::isfinite(spacing) || spacing < 0)
      throw UsageError("a spacing of {}: give a positive number, or 0 where it is not to be compared",
                       spacing);
  }
  const auto along = [&own](const char* name, std::int64_t size, double given) {
    const Axis* trained = own.axis(name);
    const double spacing = given > 0 || trained == nullptr ? given : trained->spacing();
    Axis out{name, static_cast<std::size_t>(size)};
    if (spacing > 0) out.coordinates = {0, spacing * static_cast<double>(size - 1)};
    return out;
  };
  StateSpec out = own;
  out.set_axes({along("y", ny, dy), along("x", nx, dx)});
  return out;
}

}  // namespace cvf::model
