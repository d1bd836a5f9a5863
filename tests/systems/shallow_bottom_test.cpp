// Shallow water over hills: a level surface stays level, mass stays, steady flow stays to second order.
#include <gtest/gtest.h>

#include "core/errors.hpp"
#include "support/frames.hpp"
#include "systems/cpu.hpp"
#include "systems/shallow_water.hpp"

namespace cvf::systems {
namespace {

using Planes = std::vector<double>;

ShallowWater::Options hilly(double height) {
  ShallowWater::Options options;
  options.bottom_height = height;
  return options;
}

double total(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

TEST(ShallowBottom, ALakeAtRestStaysAtRest) {
  auto options = hilly(0.9);
  options.inner_height = {1, 1};  // the surface is level
  const ShallowWater system({33, 40}, options);
  const std::size_t cells = 40 * 33;
  const auto frames = tests::simulate(system, {.seed = 2}, {0, 0.5, 3});
  const auto bottom = system.statics({.seed = 2}).at(0);
  const auto [low, high] = std::minmax_element(bottom.begin(), bottom.end());
  EXPECT_EQ(*low, 0);
  EXPECT_FLOAT_EQ(*high, 0.9F);
  for (const auto& frame : frames) {
    for (std::size_t n = 0; n < cells; ++n) {
      ASSERT_NEAR(frame[n] + bottom[n], 1, 1e-14);
      ASSERT_NEAR(frame[cells + n], 0, 1e-14);
      ASSERT_NEAR(frame[2 * cells + n], 0, 1e-14);
    }
  }
}

TEST(ShallowBottom, MassStaysWhileTheWaveIsInside) {
  auto options = hilly(0.6);
  options.centre = {-0.2, 0.2};
  const ShallowWater system({64, 64}, options);
  const auto frames = tests::simulate(system, {.seed = 4}, {0, 0.4, 0.8});
  const std::size_t cells = 64 * 64;
  for (const auto& frame : frames)
    EXPECT_NEAR(total(std::span(frame).first(cells)), total(std::span(frames[0]).first(cells)), 1e-10);
  EXPECT_GT(tests::rms_difference(frames[2], frames[0]), 0.1);
}

TEST(ShallowBottom, ChangesTheWavesAndNothingElse) {
  const ShallowWater flat({32, 32}, {}), hills({32, 32}, hilly(0.6));
  const auto a = tests::simulate(flat, {.seed = 1}, {0, 0.5}),
             b = tests::simulate(hills, {.seed = 1}, {0, 0.5});
  const auto bottom = hills.statics({.seed = 1}).at(0);
  EXPECT_EQ(hills.state().names(Role::static_field), std::vector<std::string>{"bottom"});
  EXPECT_TRUE(flat.state().names(Role::static_field).empty());
  EXPECT_TRUE(flat.statics({.seed = 1}).empty());
  for (std::size_t n = 0; n < bottom.size(); ++n) ASSERT_NEAR(a[0][n], b[0][n] + bottom[n], 1e-15);
  double apart = 0;  // of the surfaces
  for (std::size_t n = 0; n < bottom.size(); ++n)
    apart = std::max(apart, std::abs(a[1][n] - b[1][n] - bottom[n]));
  EXPECT_GT(apart, 0.05);
  EXPECT_NE(hills.statics({.seed = 1, .sample = 1}).at(0), bottom);
}

// Discharge q and energy u^2/2 + h + b are the same everywhere: h of the subcritical branch, by Newton.
double steady_depth(double q, double energy, double b) {
  double h = energy - b;
  for (int i = 0; i < 50; ++i) h -= (q * q / (2 * h * h) + h + b - energy) / (1 - q * q / (h * h * h));
  return h;
}

// How far steady flow along x or y over a hill has moved at time 0.5, in cells that no edge has reached.
double unsteadiness(int cells, bool along_x) {
  const double q = 0.3, energy = 1.1;
  const GridSize grid = along_x ? GridSize{4, cells} : GridSize{cells, 4};
  const double across = 16.0 / cells;
  FiniteVolume solver({.step = shallow_bottom_step(),
                       .components = 4,
                       .grid = grid,
                       .length_x = along_x ? 4 : across,
                       .length_y = along_x ? across : 4,
                       .edge = Edge::outflow,
                       .cfl = 0.9});
  const std::size_t plane = 4UL * cells;
  Planes start(4 * plane, 0.0);
  for (int j = 0; j < grid.ny; ++j) {
    for (int i = 0; i < grid.nx; ++i) {
      const double x = ((along_x ? i : j) + 0.5) * 4 / cells - 2, b = 0.2 * std::exp(-4 * x * x);
      const auto n = static_cast<std::size_t>(j * grid.nx + i);
      start[n] = steady_depth(q, energy, b);
      start[(along_x ? 1 : 2) * plane + n] = q / start[n];
      start[3 * plane + n] = b;
    }
  }
  solver.start(start);
  solver.advance_to(0.5);
  double sum = 0;
  for (int k = cells / 4; k < 3 * cells / 4; ++k) {
    const int j = along_x ? 1 : k, i = along_x ? k : 1;
    sum += std::abs(solver.cell(0, j, i) - start[static_cast<std::size_t>(j * grid.nx + i)]);
  }
  return sum / (cells / 2.0);
}

TEST(ShallowBottom, SteadyFlowOverAHillStaysToSecondOrder) {
  const double coarse = unsteadiness(100, true), fine = unsteadiness(200, true);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_GT(coarse / fine, 3.3);
  EXPECT_DOUBLE_EQ(unsteadiness(100, false), coarse);
}

TEST(ShallowBottom, AFlatFourthPlaneGivesTheBitsOfTheFlatScheme) {
  const ShallowWater system({31, 31}, {});
  Planes start = system.initial_state({0.5, 0.1, -0.2, 2});
  FiniteVolume flat = system.solver();
  FiniteVolume level({.step = shallow_bottom_step(),
                      .components = 4,
                      .grid = {31, 31},
                      .length_x = 5,
                      .length_y = 5,
                      .edge = Edge::outflow,
                      .cfl = 0.9});
  flat.start(start);
  start.resize(start.size() / 3 * 4, 0.25);
  level.start(start);
  flat.advance_to(0.7);
  level.advance_to(0.7);
  for (int c = 0; c < 3; ++c) {
    for (int j = 0; j < 31; ++j) {
      for (int i = 0; i < 31; ++i) ASSERT_EQ(flat.cell(c, j, i), level.cell(c, j, i));
    }
  }
}

TEST(ShallowBottom, GivesTheSameBitsOnEveryCpu) {
  if (!cpu_has_avx2()) GTEST_SKIP() << "this CPU has no AVX2";
  const auto run = [](Step step) {
    FiniteVolume solver({.step = step,
                         .components = 4,
                         .grid = {23, 29},
                         .length_x = 5,
                         .length_y = 4,
                         .edge = Edge::outflow});
    Planes planes(4UL * 29 * 23, 0.0);
    for (std::size_t n = 0; n < 667; ++n) {
      planes[n] = 1 + 0.3 * std::sin(0.1 * static_cast<double>(n));
      planes[3 * 667 + n] = 0.2 * std::cos(0.07 * static_cast<double>(n));
    }
    solver.start(planes);
    solver.advance_to(0.4);
    solver.copy_planes(planes);
    return planes;
  };
  EXPECT_EQ(run(portable::shallow_bottom_step), run(shallow_bottom_step()));
}

TEST(ShallowBottom, RefusesHillsThatReachTheSurface) {
  EXPECT_THROW(ShallowWater({16, 16}, hilly(1)), ConfigError);
  auto options = hilly(0.5);
  options.inner_height = {0.4, 2};
  EXPECT_THROW(ShallowWater({16, 16}, options), ConfigError);
}

}  // namespace
}  // namespace cvf::systems
