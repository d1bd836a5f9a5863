// Cost of one whole time step of one cell of the compressible flow, on one core. A plain loop takes 200 to
// 330 ns.
#include "systems/compressible_flow.hpp"

#include <fmt/format.h>

#include "cpu_time.hpp"

namespace cvf::bench {
namespace {

struct Case {
  int cells;
  double mach, viscosity, time;
};

Figure cell_step(const Case& wanted, systems::Step step, std::string_view flavour, double bar) {
  systems::CompressibleFlow::Options options;
  options.mach = wanted.mach;
  const systems::CompressibleFlow system({wanted.cells, wanted.cells}, options);
  const std::vector<double> planes = system.draw_start({.seed = 1}).planes;
  systems::FiniteVolume solver(
      {.step = step,
       .components = 4,
       .grid = {wanted.cells, wanted.cells},
       .cfl = options.cfl,
       .fluid = systems::gas(options.gamma, wanted.viscosity, wanted.viscosity, systems::Stress::full)});
  const double seconds = median_cpu_seconds(5, [&] {
    solver.start(planes);
    solver.advance_to(wanted.time);
  });
  const double cell_steps = static_cast<double>(solver.steps()) * wanted.cells * wanted.cells;
  return {
      fmt::format("{0}x{0}, M {1}, viscosity {2:g}{3}", wanted.cells, wanted.mach, wanted.viscosity, flavour),
      1e9 * seconds / cell_steps,
      "ns/cell-step",
      bar,
      false,
      fmt::format("median of 5 runs of {} steps, one thread's CPU time", solver.steps())};
}

}  // namespace

Figures compressible_flow() {
  const systems::Step best = systems::flow_step();
  return {cell_step({128, 1, 1e-8, 0.1}, best, "", 60),
          cell_step({128, 0.1, 1e-8, 0.03}, best, "", 60),
          cell_step({128, 1, 0, 0.1}, best, "", 60),
          cell_step({64, 1, 1e-8, 0.4}, best, "", 60),
          cell_step({512, 1, 1e-8, 0.01}, best, "", 60),
          cell_step({128, 1, 1e-8, 0.1}, systems::portable::flow_step, ", no AVX2", 0)};
}

}  // namespace cvf::bench
