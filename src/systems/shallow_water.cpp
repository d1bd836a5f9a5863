#include "systems/shallow_water.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "systems/disc.hpp"
#include "systems/grid.hpp"
#include "systems/numpy_legacy.hpp"
#include "systems/random_fields.hpp"

namespace cvf::systems {

using SW = ShallowWater;

namespace {

void check_range(std::string_view name, const std::vector<double>& range, bool may_be_equal) {
  const bool right = range.size() == 2 && (may_be_equal ? range[0] <= range[1] : range[0] < range[1]);
  if (!right) throw ConfigError("shallow_water.{}: give [low, high]", name);
}

}  // namespace

SW::ShallowWater(GridSize grid, Options options) : grid_(grid), options_(std::move(options)) {
  check_range("radius", options_.radius, true);
  check_range("centre", options_.centre, true);
  check_range("inner_height", options_.inner_height, true);
  check_range("domain", options_.domain, false);
  const double lowest_surface = std::min(options_.outer_height, options_.inner_height.front());
  if (has_bottom() && options_.bottom_height >= lowest_surface) {
    throw ConfigError(
        "shallow_water.bottom_height: {} reaches the surface; it must be below outer_height and inner_height",
        options_.bottom_height);
  }
  const double length = options_.domain[1] - options_.domain[0];
  dx_ = length / grid.nx;
  dy_ = length / grid.ny;
}

std::vector<std::string> SW::channels() const {
  if (options_.state == Channels::depth) return {"h"};
  return {"h", "hu", "hv"};
}

StateSpec SW::state() const {
  const auto along = [this](const char* name, int count) {
    return axis_of_cells(name, count, options_.domain[0], options_.domain[1], Boundary::outflow);
  };
  auto out = state_of(channels(), {along("y", grid_.ny), along("x", grid_.nx)});
  if (has_bottom()) out.set_names(Role::static_field, {"bottom"});
  return out;
}

std::vector<std::string> SW::scalar_names() const {
  return {"radius", "centre_x", "centre_y", "inner_height", "solver_steps", "smallest_dt"};
}

std::vector<std::vector<float>> SW::statics(const Draw& draw) const {
  if (!has_bottom()) return {};
  return {draw_bottom(draw)};
}

std::vector<float> SW::draw_bottom(const Draw& draw) const {
  RandomStream stream(draw.seed, fmt::format("shallow_water bottom/{}", draw.attempt), draw.sample);
  const double length = options_.domain[1] - options_.domain[0];
  const auto field = cosine_field(grid_, length, length, options_.bottom_length, stream);
  const auto [low, high] = std::ranges::minmax(field);
  const double scale = high > low ? options_.bottom_height / (high - low) : 0;
  std::vector<float> out;
  for (const double value : field) out.push_back(static_cast<float>((value - low) * scale));
  return out;
}

SW::Dam SW::draw_dam(const Draw& draw) const {
  const auto from = [](const std::vector<double>& range, auto& generator) {
    return generator.uniform(range[0], range[1]);
  };
  RandomStream stream(draw.seed, fmt::format("shallow_water/{}", draw.attempt), draw.sample);
  NumpyLegacy legacy(options_.preset == Preset::pdebench ? numpy_seed(draw.seed, draw.sample) : 0);
  Dam dam;
  dam.radius =
      options_.preset == Preset::pdebench ? from(options_.radius, legacy) : from(options_.radius, stream);
  dam.centre_x = from(options_.centre, stream);
  dam.centre_y = from(options_.centre, stream);
  dam.inner_height = from(options_.inner_height, stream);
  return dam;
}

double SW::share_inside(const Dam& dam, double x, double y) const {
  const double distance =
      std::sqrt((x - dam.centre_x) * (x - dam.centre_x) + (y - dam.centre_y) * (y - dam.centre_y));
  if (options_.disc == DiscEdge::sharp) return distance <= dam.radius ? 1 : 0;
  const double reach = 0.5 * std::hypot(dx_, dy_);
  if (distance + reach <= dam.radius) return 1;
  if (distance - reach >= dam.radius) return 0;
  const double hx = 0.5 * dx_, hy = 0.5 * dy_;
  return shared_area({dam.centre_x, dam.centre_y, dam.radius}, x - hx, x + hx, y - hy, y + hy) / (dx_ * dy_);
}

std::vector<double> SW::initial_state(const Dam& dam) const {
  const auto [low, high] = std::pair(options_.domain[0], options_.domain[1]);
  const auto columns = cell_centres(grid_.nx, low, high), rows = cell_centres(grid_.ny, low, high);
  std::vector<double> out;
  out.reserve(3 * columns.size() * rows.size());
  for (const double row : rows) {
    for (const double column : columns) {
      const double share = share_inside(dam, column, row);
      out.push_back(options_.outer_height + share * (dam.inner_height - options_.outer_height));
    }
  }
  out.resize(3 * columns.size() * rows.size(), 0.0);  // water at rest
  return out;
}

FiniteVolume SW::solver() const {
  const double length = options_.domain[1] - options_.domain[0];
  return FiniteVolume({.step = has_bottom() ? shallow_bottom_step() : shallow_step(),
                       .components = has_bottom() ? 4 : 3,
                       .grid = grid_,
                       .length_x = length,
                       .length_y = length,
                       .edge = Edge::outflow,
                       .cfl = options_.cfl,
                       .fluid = {.gravity = options_.g}});
}

void SW::write_frame(const FiniteVolume& solver, std::span<double> planes) const {
  auto out = planes.begin();
  for (int j = 0; j < grid_.ny; ++j) out = std::ranges::copy(solver.row(0, j), out).out;
  if (options_.state == Channels::depth) return;
  for (const int velocity : {1, 2}) {
    for (int j = 0; j < grid_.ny; ++j) {
      out = std::ranges::transform(solver.row(0, j), solver.row(velocity, j), out, std::multiplies<>()).out;
    }
  }
}

Scalars SW::simulate(const Draw& draw, std::span<const double> times, const FrameSink& sink) const {
  const Dam dam = draw_dam(draw);
  FiniteVolume water = solver();
  const auto write = [this](const FiniteVolume& solver, std::span<double> planes) {
    write_frame(solver, planes);
  };
  auto initial = initial_state(dam);
  if (has_bottom()) {
    const auto bottom = draw_bottom(draw);
    for (std::size_t i = 0; i < bottom.size(); ++i) initial[i] -= bottom[i];
    initial.insert(initial.end(), bottom.begin(), bottom.end());
  }
  run_frames(water, initial, times, static_cast<int>(channels().size()), write, sink);
  return {{"radius", dam.radius},
          {"centre_x", dam.centre_x},
          {"centre_y", dam.centre_y},
          {"inner_height", dam.inner_height},
          {"solver_steps", static_cast<double>(water.steps())},
          {"smallest_dt", water.smallest_dt()}};
}

}  // namespace cvf::systems
