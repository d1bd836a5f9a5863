#include "systems/compressible_flow.hpp"

#include <array>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "systems/grid.hpp"

namespace cvf::systems {
namespace {

using CF = CompressibleFlow;
constexpr std::array<std::pair<std::string_view, CF::Initial>, 2> initials{
    {{"turb", CF::Initial::turb}, {"rand", CF::Initial::rand}}};
constexpr std::array<std::pair<std::string_view, CF::Projection>, 2> projections{
    {{"exact", CF::Projection::exact}, {"pdebench", CF::Projection::pdebench}}};
constexpr std::array<std::pair<std::string_view, Stress>, 2> stresses{
    {{"full", Stress::full}, {"pdebench", Stress::pdebench}}};

}  // namespace

Fluid gas(double gamma, double eta, double zeta, Stress stress) {
  const bool full = stress == Stress::full;
  return {.gamma = gamma,
          .normal = 4.0 / 3 * eta + zeta,
          .shear = eta,
          .cross_normal = full ? zeta - 2.0 / 3 * eta : 0,
          .cross_shear = full ? eta : 0,
          .times_density = !full};
}

std::vector<Number<CF::Options>> CF::Options::numbers() {
  return {{"eta", &Options::eta, "shear viscosity", config::at_least(0)},
          {"zeta", &Options::zeta, "bulk viscosity", config::at_least(0)}};
}

void CF::Options::describe(config::Section& section) {
  section.choice<Initial>(
      "initial", initial, initials,
      "turb: uniform gas, divergence-free velocity of mean speed 1. rand: random density, "
      "pressure and velocity round random means");
  section.choice<Projection>(
      "projection", projection, projections,
      "of turb: exact is free of divergence; pdebench repeats that generator's wave numbers, "
      "wrong by one");
  section.key("mach", &mach, "mean speed over the speed of sound", config::above(0));
  section.key("gamma", &gamma, "ratio of specific heats", config::above(1));
  drawn.describe(section, *this);
  section.choice<Stress>(
      "viscous", viscous, stresses,
      "full: whole stress tensor, dynamic viscosities. pdebench: no cross derivatives, kinematic "
      "viscosities, as that data was made");
  section.key("window", &window, "of rand: probability that the disturbance fills a window only",
              config::between(0, 1));
  section.key("cfl", &cfl, "dt ((|u|+c)/dx + (|v|+c)/dy + viscous rate) at most",
              config::between(0.01, 0.95));
}

CF::CompressibleFlow(GridSize grid, Options options) : grid_(grid), options_(std::move(options)) {
  options_.drawn.check("compressible_flow");
}

StateSpec CF::state() const {
  return state_of({"density", "pressure", "Vx", "Vy"},
                  {axis_of_cells("y", grid_.ny, 0, 1, Boundary::periodic),
                   axis_of_cells("x", grid_.nx, 0, 1, Boundary::periodic)})
      .set_names(Role::parameter, options_.drawn.names());
}

std::vector<std::string> CF::scalar_names() const {
  return joined(options_.drawn.names(),
                {"mach", "mean_density", "mean_temperature", "windowed", "solver_steps", "smallest_dt"});
}

CF::Start CF::draw_start(const Draw& draw) const {
  RandomStream stream(draw.seed, fmt::format("compressible_flow/{}", draw.attempt), draw.sample);
  return options_.initial == Initial::turb ? turbulent_start(grid_, options_, stream)
                                           : random_start(grid_, options_, stream);
}

FiniteVolume CF::solver(double eta, double zeta) const {
  return FiniteVolume({.step = flow_step(),
                       .components = 4,
                       .grid = grid_,
                       .edge = Edge::periodic,
                       .cfl = options_.cfl,
                       .fluid = gas(options_.gamma, eta, zeta, options_.viscous)});
}

Scalars CF::simulate(const Draw& draw, std::span<const double> times, const FrameSink& sink) const {
  const Start start = draw_start(draw);
  const Options drawn = options_.drawn.draw("compressible_flow", options_, draw);
  FiniteVolume flow = solver(drawn.eta, drawn.zeta);
  const auto write = [](const FiniteVolume& solver, std::span<double> planes) { solver.copy_planes(planes); };
  run_frames(flow, start.planes, times, 4, write, sink);
  return joined(options_.drawn.scalars(drawn), {{"mach", options_.mach},
                                                {"mean_density", start.density},
                                                {"mean_temperature", start.temperature},
                                                {"windowed", start.windowed ? 1.0 : 0.0},
                                                {"solver_steps", static_cast<double>(flow.steps())},
                                                {"smallest_dt", flow.smallest_dt()}});
}

}  // namespace cvf::systems
