// Compressible gas in a box, from any start that a test likes.
#pragma once

#include <functional>

#include "systems/compressible_flow.hpp"

namespace cvf::tests {

struct Gas {
  double density, pressure, vx, vy;
};
using GasAt = std::function<Gas(double x, double y)>;

struct Box {
  systems::GridSize grid{64, 64};
  double length_x = 1, length_y = 1;
  systems::Edge edge = systems::Edge::periodic;
  systems::Fluid fluid{.gamma = 1.4};
  double cfl = 0.8;
  systems::Step step = systems::flow_step();
};

inline std::vector<double> sampled(const Box& box, const GasAt& gas) {
  const auto [ny, nx] = box.grid;
  const std::size_t cells = static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
  std::vector<double> planes(4 * cells);
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      const Gas here = gas((i + 0.5) * box.length_x / nx, (j + 0.5) * box.length_y / ny);
      const std::size_t n =
          static_cast<std::size_t>(j) * static_cast<std::size_t>(nx) + static_cast<std::size_t>(i);
      planes[n] = here.density;
      planes[cells + n] = here.pressure;
      planes[2 * cells + n] = here.vx;
      planes[3 * cells + n] = here.vy;
    }
  }
  return planes;
}

inline systems::FiniteVolume started(const Box& box, const std::vector<double>& planes) {
  systems::FiniteVolume solver({.step = box.step,
                                .components = 4,
                                .grid = box.grid,
                                .length_x = box.length_x,
                                .length_y = box.length_y,
                                .edge = box.edge,
                                .cfl = box.cfl,
                                .fluid = box.fluid});
  solver.start(planes);
  return solver;
}

inline std::vector<double> planes_of(const systems::FiniteVolume& solver, std::size_t size) {
  std::vector<double> planes(size);
  solver.copy_planes(planes);
  return planes;
}

inline std::vector<double> evolved(const Box& box, const std::vector<double>& planes, double time) {
  systems::FiniteVolume solver = started(box, planes);
  solver.advance_to(time);
  return planes_of(solver, planes.size());
}

/// Sums over the cells of density, momenta, total energy, and the kinetic part of it.
struct Totals {
  double mass = 0, momentum_x = 0, momentum_y = 0, energy = 0, kinetic = 0, pressure = 0;
};

inline Totals totals(const std::vector<double>& planes, double gamma) {
  const std::size_t cells = planes.size() / 4;
  Totals sum;
  for (std::size_t n = 0; n < cells; ++n) {
    const double rho = planes[n], p = planes[cells + n], u = planes[2 * cells + n], v = planes[3 * cells + n];
    const double kinetic = 0.5 * rho * (u * u + v * v);
    sum.mass += rho;
    sum.momentum_x += rho * u;
    sum.momentum_y += rho * v;
    sum.kinetic += kinetic;
    sum.pressure += p;
    sum.energy += p / (gamma - 1) + kinetic;
  }
  return sum;
}

}  // namespace cvf::tests
