// The gas against exact solutions, conservation laws and symmetries.
#include "systems/compressible_flow.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/flow.hpp"
#include "support/frames.hpp"
#include "systems/cpu.hpp"

namespace cvf::systems {
namespace {

using tests::Box;
using tests::evolved;
using tests::Gas;
using tests::sampled;
using Planes = std::vector<double>;
using std::numbers::pi;

/// A turbulent start on a grid whose sizes no vector width divides.
Planes turbulence(GridSize grid, double mach = 1) {
  CompressibleFlow::Options options;
  options.mach = mach;
  return CompressibleFlow(grid, options).draw_start({.seed = 11}).planes;
}

struct Tube {
  double gamma;
  Gas left, right;
  double density_left, density_right, pressure, velocity, shock;  // the exact star states
};

FiniteVolume run_tube(const Tube& tube, int cells, double time) {
  const Box box{.grid = {4, cells},
                .length_x = 1,
                .length_y = 4.0 / cells,
                .edge = Edge::outflow,
                .fluid = {.gamma = tube.gamma}};
  FiniteVolume solver =
      tests::started(box, sampled(box, [&](double x, double) { return x < 0.5 ? tube.left : tube.right; }));
  solver.advance_to(time);
  return solver;
}

void expect_exact_tube(const Tube& tube) {
  const int cells = 400;
  const double time = 0.15;
  const FiniteVolume solver = run_tube(tube, cells, time);
  const auto at = [&](double speed) { return static_cast<int>((0.5 + speed * time) * cells); };
  const int behind = at(tube.velocity - 0.2), ahead = at(0.5 * (tube.velocity + tube.shock));
  EXPECT_NEAR(solver.cell(0, 1, behind), tube.density_left, 0.01 * tube.density_left);
  EXPECT_NEAR(solver.cell(0, 1, ahead), tube.density_right, 0.01 * tube.density_right);
  for (const int i : {behind, ahead}) {
    EXPECT_NEAR(solver.cell(1, 1, i), tube.pressure, 0.01 * tube.pressure);
    EXPECT_NEAR(solver.cell(2, 1, i), tube.velocity, 0.01 * tube.velocity);
    EXPECT_EQ(solver.cell(3, 1, i), 0);
  }
  EXPECT_GT(solver.cell(0, 1, at(tube.shock) - 3), 0.9 * tube.density_right);
  EXPECT_NEAR(solver.cell(0, 1, at(tube.shock) + 3), tube.right.density, 0.05 * tube.right.density);
}

TEST(CompressibleFlow, ReachesSodsStates) {
  expect_exact_tube(
      {1.4, {1, 1, 0, 0}, {0.125, 0.1, 0, 0}, 0.426319, 0.265574, 0.303130, 0.927453, 1.752156});
}

TEST(CompressibleFlow, ReachesSodsStatesOfAMonatomicGas) {
  expect_exact_tube(
      {5.0 / 3, {1, 1, 0, 0}, {0.125, 0.1, 0, 0}, 0.479689, 0.229806, 0.293945, 0.841195, 1.844473});
}

TEST(CompressibleFlow, ReachesTheStatesOfAMovingShockTube) {
  expect_exact_tube(
      {5.0 / 3, {1, 1, 0.75, 0}, {0.125, 0.1, 0, 0}, 0.636758, 0.284803, 0.471293, 1.290992, 2.300825});
}

// Shu's vortex of strength 5 in a box of 10, carried once round the box: L1 error of the density.
double vortex_error(int cells) {
  const Box box{.grid = {cells, cells}, .length_x = 10, .length_y = 10};
  const Planes start = sampled(box, [](double x, double y) {
    const double gamma = 1.4, beta = 5, dx = x - 5, dy = y - 5, square = dx * dx + dy * dy;
    const double swirl = beta / (2 * pi) * std::exp(0.5 * (1 - square));
    const double temperature = 1 - (gamma - 1) / (2 * gamma) * swirl * swirl;
    const double density = std::pow(temperature, 1 / (gamma - 1));
    return Gas{density, density * temperature, 1 - swirl * dy, 1 + swirl * dx};
  });
  const Planes end = evolved(box, start, 10);
  double sum = 0;
  for (std::size_t n = 0; n < start.size() / 4; ++n) sum += std::abs(end[n] - start[n]);
  return sum * 4 / static_cast<double>(start.size());
}

TEST(CompressibleFlow, CarriesAVortexWithSecondOrder) {
  const double coarse = vortex_error(32), middle = vortex_error(64), fine = vortex_error(128);
  SCOPED_TRACE(testing::Message() << coarse << " " << middle << " " << fine);
  EXPECT_GT(std::log2(coarse / middle), 1.9);
  EXPECT_GT(std::log2(middle / fine), 1.9);
  EXPECT_LT(fine, 2.5e-4);
}

TEST(CompressibleFlow, ConservesMassMomentumAndEnergyToRoundOff) {
  for (const double eta : {0.0, 0.01}) {
    const Box box{.grid = {50, 66}, .fluid = gas(5.0 / 3, eta, eta, Stress::full)};
    const Planes start = turbulence(box.grid);
    const tests::Totals before = tests::totals(start, 5.0 / 3),
                        after = tests::totals(evolved(box, start, 0.3), 5.0 / 3);
    const double cells = 66 * 50;
    EXPECT_NEAR(after.mass / cells, before.mass / cells, 1e-13);
    EXPECT_NEAR(after.momentum_x / cells, before.momentum_x / cells, 1e-13);
    EXPECT_NEAR(after.momentum_y / cells, before.momentum_y / cells, 1e-13);
    EXPECT_NEAR(after.energy / cells, before.energy / cells, 1e-13);
    EXPECT_LT(after.kinetic, 0.95 * before.kinetic);
    EXPECT_NEAR((after.pressure - before.pressure) / cells,
                2.0 / 3 * (before.kinetic - after.kinetic) / cells, 1e-13);
  }
}

Planes rolled(const Planes& planes, GridSize grid, int by_x, int by_y) {
  Planes out(planes.size());
  const auto [ny, nx] = grid;
  for (int c = 0; c < 4; ++c) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        out[static_cast<std::size_t>((c * ny + (j + by_y) % ny) * nx + (i + by_x) % nx)] =
            planes[static_cast<std::size_t>((c * ny + j) * nx + i)];
      }
    }
  }
  return out;
}

/// x and y exchanged, and with them Vx and Vy.
Planes transposed(const Planes& planes, GridSize grid) {
  Planes out(planes.size());
  const auto [ny, nx] = grid;
  for (int c = 0; c < 4; ++c) {
    const int twin = c < 2 ? c : 5 - c;
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        out[static_cast<std::size_t>((twin * nx + i) * ny + j)] =
            planes[static_cast<std::size_t>((c * ny + j) * nx + i)];
      }
    }
  }
  return out;
}

TEST(CompressibleFlow, CommutesWithShiftsBitByBit) {
  const Box box{.grid = {30, 37}, .fluid = gas(5.0 / 3, 1e-3, 1e-3, Stress::full)};
  const Planes start = turbulence(box.grid);
  const Planes end = evolved(box, start, 0.2);
  EXPECT_EQ(evolved(box, rolled(start, box.grid, 1, 0), 0.2), rolled(end, box.grid, 1, 0));
  EXPECT_EQ(evolved(box, rolled(start, box.grid, 5, 7), 0.2), rolled(end, box.grid, 5, 7));
  EXPECT_NE(end, start);
}

TEST(CompressibleFlow, CommutesWithTranspositionBitByBit) {
  for (const Stress stress : {Stress::full, Stress::pdebench}) {
    const Box box{.grid = {30, 37}, .fluid = gas(5.0 / 3, 1e-3, 1e-3, stress)};
    const Box turned{.grid = {37, 30}, .fluid = box.fluid};
    const Planes start = turbulence(box.grid);
    EXPECT_EQ(evolved(turned, transposed(start, box.grid), 0.2),
              transposed(evolved(box, start, 0.2), box.grid));
  }
}

TEST(CompressibleFlow, KeepsASymmetricCollisionSymmetric) {
  const Box box{.grid = {4, 40}, .length_y = 0.1, .edge = Edge::outflow};
  const Planes end = evolved(box,
                             sampled(box,
                                     [](double x, double) {
                                       return Gas{1, 1, x < 0.5 ? 1.0 : -1.0, 0.3};
                                     }),
                             0.1);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(end[i], end[39 - i]);
    EXPECT_EQ(end[320 + i], -end[320 + 39 - i]);
    EXPECT_DOUBLE_EQ(end[480 + i], 0.3);
  }
  EXPECT_GT(end[20], 1.5);
}

// A weak transverse wave along the diagonal, v = (1, -1) sin(2 pi (x + y)), dies at a rate that tells the
// stress: full: 2 eta k^2. Without cross derivatives, and the normal one weighted more: (eta + 4/3 eta +
// zeta) k^2.
double decay_rate(Stress stress, double eta, double zeta) {
  const double size = 1e-3, time = 0.1;
  const Box box{.grid = {64, 64}, .fluid = gas(5.0 / 3, eta, zeta, stress)};
  const Planes start = sampled(box, [&](double x, double y) {
    const double wave = size * std::sin(2 * pi * (x + y));
    return Gas{1, 1, wave, -wave};
  });
  const Planes end = evolved(box, start, time);
  return std::log(tests::totals(start, 5.0 / 3).kinetic / tests::totals(end, 5.0 / 3).kinetic) / (2 * time);
}

TEST(CompressibleFlow, DampsShearAtTheRateOfItsStress) {
  const double eta = 0.01, zeta = 0.02, square = 4 * pi * pi;
  const double full = 2 * eta * square, as_published = (7.0 / 3 * eta + zeta) * square;
  EXPECT_NEAR(decay_rate(Stress::full, eta, zeta), full, 0.02 * full);
  EXPECT_NEAR(decay_rate(Stress::pdebench, eta, zeta), as_published, 0.02 * as_published);
}

TEST(CompressibleFlow, KeepsTheExactDecayOfAPlaneShearWave) {
  const double eta = 0.05, time = 0.2;
  const Box box{
      .grid = {64, 6}, .length_x = 6.0 / 64, .fluid = gas(5.0 / 3, eta, 0, Stress::full), .cfl = 0.4};
  const Planes start = sampled(box, [](double, double y) {
    return Gas{1, 1, 1e-3 * std::sin(2 * pi * y), 0};
  });
  const Planes end = evolved(box, start, time);
  const double decay = std::exp(-eta * 4 * pi * pi * time);
  for (std::size_t n = 2 * 384; n < 3 * 384; ++n) EXPECT_NEAR(end[n], start[n] * decay, 2e-6);
}

// A standing sound wave along the diagonal loses amplitude at (4/3 eta + zeta) k^2 / 2 in every direction.
TEST(CompressibleFlow, DampsSoundAlongTheDiagonal) {
  const double eta = 0.01, zeta = 0.02, square = 8 * pi * pi, rate = (4.0 / 3 * eta + zeta) * square / 2;
  const double period = 2 * pi / std::sqrt(5.0 / 3 * square - rate * rate);
  const Box box{.grid = {64, 64}, .fluid = gas(5.0 / 3, eta, zeta, Stress::full)};
  const Planes start = sampled(box, [](double x, double y) {
    const double wave = 1e-3 * std::sin(2 * pi * (x + y));
    return Gas{1, 1, wave, wave};
  });
  const double before = tests::totals(start, 5.0 / 3).kinetic;
  const double after = tests::totals(evolved(box, start, period), 5.0 / 3).kinetic;
  EXPECT_NEAR(std::log(before / after) / (2 * period), rate, 0.03 * rate);
}

TEST(CompressibleFlow, StaysStableWithTheLargestPublishedViscosity) {
  for (const Stress stress : {Stress::full, Stress::pdebench}) {
    const Box box{.grid = {32, 32}, .fluid = gas(5.0 / 3, 0.1, 0.1, stress)};
    Planes noise(4UL * 1024, 1.0);
    for (std::size_t n = 2048; n < 4096; ++n)
      noise[n] = (n + n / 32) % 2 == 0 ? 0.1 : -0.1;  // a checkerboard
    std::fill_n(noise.begin(), 512, 0.2);             // thin gas is the most viscous for its mass
    const double before = tests::totals(noise, 5.0 / 3).kinetic;
    EXPECT_LT(tests::totals(evolved(box, noise, 0.05), 5.0 / 3).kinetic, 0.2 * before);
  }
}

TEST(CompressibleFlow, StaysPositiveInANearVacuum) {
  const Box box{.grid = {4, 200}, .length_y = 0.02, .edge = Edge::outflow};
  FiniteVolume solver = tests::started(box, sampled(box, [](double x, double) {
                                         return Gas{1, 0.4, x < 0.5 ? -2.2 : 2.2, 0};
                                       }));
  solver.advance_to(0.1);
  EXPECT_FALSE(solver.failed());
  for (int i = 0; i < 200; ++i) {
    EXPECT_GT(solver.cell(0, 1, i), 0);
    EXPECT_GT(solver.cell(1, 1, i), 0);
  }
  EXPECT_LT(solver.cell(0, 1, 100), 0.05);
}

TEST(CompressibleFlow, StaysPositiveInHypersonicTurbulence) {
  CompressibleFlow::Options options;
  options.mach = 8;
  const auto frames = tests::simulate(CompressibleFlow({48, 48}, options), {.seed = 2}, {0, 0.1, 0.3});
  for (std::size_t n = 0; n < 2UL * 48 * 48; ++n) ASSERT_GT(frames.back()[n], 0);
}

TEST(CompressibleFlow, GivesTheSameBitsOnEveryCpu) {
  if (!cpu_has_avx2()) GTEST_SKIP() << "this CPU has no AVX2";
  Box fast{.grid = {30, 37}, .fluid = gas(5.0 / 3, 1e-3, 1e-3, Stress::full)}, plain = fast;
  plain.step = portable::flow_step;
  EXPECT_NE(plain.step, fast.step);
  const Planes start = turbulence(fast.grid);
  EXPECT_EQ(evolved(plain, start, 0.2), evolved(fast, start, 0.2));
}

/// Share of the kinetic energy left at time 1.
double energy_left(double mach, int cells) {
  CompressibleFlow::Options options;
  options.mach = mach;
  const auto frames = tests::simulate(CompressibleFlow({cells, cells}, options), {.seed = 7}, {0, 1});
  return tests::totals(frames[1], 5.0 / 3).kinetic / tests::totals(frames[0], 5.0 / 3).kinetic;
}

TEST(CompressibleFlow, LosesKineticEnergyAsOtherSchemesDo) {
  EXPECT_NEAR(energy_left(0.1, 64), 0.693, 0.08);  // numerical loss of the vortices
  EXPECT_NEAR(energy_left(1, 64), 0.361, 0.10);    // shocks
}

TEST(CompressibleFlow, TellsWhatTheSolverDid) {
  const CompressibleFlow system({24, 32}, {});
  tests::Frames frames;
  const Scalars scalars = system.simulate({.seed = 1}, std::vector{0.0, 0.05}, tests::into(frames));
  ASSERT_EQ(scalars.size(), system.scalar_names().size());
  for (std::size_t n = 0; n < scalars.size(); ++n) EXPECT_EQ(scalars[n].first, system.scalar_names()[n]);
  EXPECT_GT(scalars[4].second, 3);                                  // solver_steps
  EXPECT_NEAR(scalars[4].second * scalars[5].second, 0.05, 0.025);  // smallest_dt
}

}  // namespace
}  // namespace cvf::systems
