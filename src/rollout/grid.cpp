#include "rollout/grid.hpp"

#include <fmt/format.h>

namespace cvf::rollout {
namespace {

double spacing(double first, double last, std::int64_t cells) {
  return cells > 1 ? std::abs(last - first) / static_cast<double>(cells - 1) : NAN;
}

double spacing_of(const std::vector<double>& ends, std::int64_t cells) {
  return ends.empty() ? NAN : spacing(ends.front(), ends.back(), cells);
}

std::string words(double spacing) {
  return std::isnan(spacing) ? "an unknown spacing" : fmt::format("a spacing of {:.6g}", spacing);
}

// One axis with more than one cell. Where both sizes agree, coordinates that nobody knows are no reason to
// refuse what was accepted before the file lost them.
std::string misfit_along(const char* axis, double here, double trained, bool same_size) {
  if (same_size && (std::isnan(here) || std::isnan(trained))) return "";
  if (std::abs(here - trained) <= 1e-3 * trained) return "";
  return fmt::format("has {} along {}, but the model was trained on {}", words(here), axis, words(trained));
}

}  // namespace

Grid grid_of(const data::Description& d) {
  const auto ny = static_cast<std::int64_t>(d.ny), nx = static_cast<std::int64_t>(d.nx);
  return {ny, nx, spacing_of(d.y, ny), spacing_of(d.x, nx)};
}

Grid grid_of(const model::StateFacts& s) {
  return {s.ny, s.nx, spacing_of(s.y_range, s.ny), spacing_of(s.x_range, s.nx)};
}

std::string misfit(const Grid& grid, const model::TrainedModel& model, bool any_spacing) {
  const Grid own = grid_of(model.spec.state);
  const bool same_size = grid.ny == own.ny && grid.nx == own.nx;
  const bool same_dimensions = (grid.ny == 1) == (own.ny == 1) && (grid.nx == 1) == (own.nx == 1);
  const bool any_grid = model.field && model.field->any_grid();
  if (!same_size && !(any_grid && same_dimensions)) {
    return fmt::format("has a grid of {} x {} (y x x), but the model was trained on {} x {}", grid.ny,
                       grid.nx, own.ny, own.nx);
  }
  if (!any_grid || any_spacing) return "";
  std::string out;
  if (own.ny > 1) out = misfit_along("y", grid.dy, own.dy, same_size);
  if (out.empty() && own.nx > 1) out = misfit_along("x", grid.dx, own.dx, same_size);
  return out;
}

}  // namespace cvf::rollout
