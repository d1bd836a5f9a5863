#include "systems/wave.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "core/errors.hpp"
#include "support/frames.hpp"

namespace cvf::systems {
namespace {

using std::numbers::pi;
const GridSize square{128, 128};
constexpr std::size_t cells = 128 * 128;

PeriodicWave on_square(std::span<const double> planes) {
  return {square, 2.0 / 128, 2.0 / 128, 1, planes};
}

std::vector<double> drawn_state(std::uint64_t sample = 0) {
  const Wave wave(square, {});
  return wave.initial_state(wave.draw_bumps({.seed = 4, .sample = sample}));
}

/// u = cos(k.x) with k = (3, 2) 2 pi / 2 on an n x n box of length 2, v = 0.
std::vector<double> plane_mode(int n) {
  std::vector<double> planes(2 * static_cast<std::size_t>(n) * n, 0.0);
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) {
      planes[static_cast<std::size_t>(y) * n + x] = std::cos(2 * pi * (3 * x + 2 * y) / n);
    }
  }
  return planes;
}

/// 1/2 |(u^{n+1} - u^n) / dt|^2 + 1/2 <grad_h u^n, grad_h u^{n+1}>
double staggered_energy(std::span<const double> now, std::span<const double> next, double dt) {
  const double dx = 2.0 / 128;
  const auto gradient = [&](std::span<const double> u, int x, int y, int right, int down) {
    return (u[((y + down) % 128) * 128 + (x + right) % 128] - u[y * 128 + x]) / dx;
  };
  double energy = 0;
  for (int y = 0; y < 128; ++y) {
    for (int x = 0; x < 128; ++x) {
      const double rate = (next[y * 128 + x] - now[y * 128 + x]) / dt;
      energy += 0.5 * (rate * rate + gradient(now, x, y, 1, 0) * gradient(next, x, y, 1, 0) +
                       gradient(now, x, y, 0, 1) * gradient(next, x, y, 0, 1));
    }
  }
  return energy;
}

TEST(Wave, IsTheLeapFrogRule) {
  // u^{n+1} - 2 u^n + u^{n-1} = (c dt)^2 lap_h(u^n) and v^n = (u^{n+1} - u^{n-1}) / (2 dt), in one cell of a
  // run.
  auto wave = on_square(drawn_state());
  std::vector<std::vector<double>> states;
  for (int n = 0; n < 3; ++n, wave.step(0.01))
    states.emplace_back(wave.planes().begin(), wave.planes().end());
  const auto& [before, now, after] = std::tie(states[0], states[1], states[2]);
  for (std::size_t i = 200; i < 400; ++i) {
    const double stencil = now[i - 1] + now[i + 1] + now[i - 128] + now[i + 128] - 4 * now[i];
    ASSERT_NEAR(after[i] - 2 * now[i] + before[i], 0.64 * 0.64 * stencil, 1e-14);
    ASSERT_NEAR(now[cells + i], (after[i] - before[i]) / 0.02, 1e-12);
  }
}

TEST(Wave, KeepsTheStaggeredEnergyToRoundOff) {
  auto wave = on_square(drawn_state());
  double first = 0;
  for (int n = 0; n < 100; ++n) {
    const std::vector<double> now(wave.planes().begin(), wave.planes().begin() + cells);
    wave.step(0.01);
    const double energy = staggered_energy(now, wave.planes().first(cells), 0.01);
    if (n == 0) first = energy;
    ASSERT_NEAR(energy / first, 1, 1e-13);
  }
}

TEST(Wave, MovesAPlaneModeAtTheDiscreteFrequency) {
  const auto start = plane_mode(128);
  auto wave = on_square(start);
  const double frequency =
      2 / 0.01 * std::asin(0.64 * std::hypot(std::sin(3 * pi / 128), std::sin(2 * pi / 128)));
  EXPECT_NEAR(frequency, 11.3247409, 1e-7);
  for (int n = 1; n <= 99; ++n) {
    wave.step(0.01);
    for (std::size_t i = 0; i < cells; i += 77) {
      ASSERT_NEAR(wave.planes()[i], start[i] * std::cos(frequency * n * 0.01), 4e-14);
    }
  }
}

TEST(Wave, IsOfSecondOrder) {
  const auto error = [](int n) {
    const auto start = plane_mode(n);
    PeriodicWave wave({n, n}, 2.0 / n, 2.0 / n, 1, start);
    for (int step = 0; step < 100 * n / 128; ++step) wave.step(1.28 / n);
    const double factor = std::cos(pi * std::sqrt(13.0));
    double sum = 0;
    for (int i = 0; i < n * n; ++i) sum += std::pow(wave.planes()[i] - start[i] * factor, 2);
    return std::sqrt(sum / (n * n));
  };
  const double coarse = error(64), middle = error(128), fine = error(256);
  EXPECT_NEAR(coarse, 6.54e-3, 5e-5);
  EXPECT_NEAR(middle, 1.63e-3, 1e-5);
  EXPECT_NEAR(fine, 4.06e-4, 2e-6);
  EXPECT_NEAR(std::log2(coarse / middle), 2.0, 0.02);
  EXPECT_NEAR(std::log2(middle / fine), 2.0, 0.02);
}

TEST(Wave, RunsBackwardsToItsInitialState) {
  const auto start = drawn_state();
  auto wave = on_square(start);
  for (int n = 0; n < 99; ++n) wave.step(0.01);
  EXPECT_GT(tests::largest_difference(wave.planes().first(cells), start), 0.1);
  for (int n = 0; n < 99; ++n) wave.step(-0.01);
  EXPECT_LT(tests::largest_difference(wave.planes(), start), 1e-12);
}

TEST(Wave, KeepsItsMeans) {
  const auto frames = tests::simulate(Wave(square, {}), {.seed = 1}, tests::even_times(100, 0.01));
  const double first = tests::mean(std::span(frames[0]).first(cells));
  for (const auto& frame : frames) {
    ASSERT_NEAR(tests::mean(std::span(frame).first(cells)), first, 1e-15);
    ASSERT_NEAR(tests::mean(std::span(frame).last(cells)), 0, 1e-14);
  }
}

TEST(Wave, StartsFromOneToThreeBumpsAtRest) {
  const Wave wave(square, {});
  std::array<int, 4> seen{};
  for (std::uint64_t sample = 0; sample < 60; ++sample) {
    const auto bumps = wave.draw_bumps({.seed = 0, .sample = sample});
    ASSERT_GE(bumps.size(), 1u);
    ASSERT_LE(bumps.size(), 3u);
    ++seen[bumps.size()];
    for (const auto& bump : bumps) {
      EXPECT_GE(bump.sigma, 0.05);
      EXPECT_LT(bump.sigma, 0.15);
    }
  }
  EXPECT_GT(std::min({seen[1], seen[2], seen[3]}), 8);
  const auto state = wave.initial_state(std::vector<Wave::Bump>{{0, 0, 0.1}});
  EXPECT_NEAR(state[0], std::exp(-2 * std::pow(0.5 / 64, 2) / 0.02), 1e-15);
  EXPECT_NEAR(state[0], state[127 * 128 + 127], 1e-15) << "the nearest image counts";
  for (std::size_t i = cells; i < 2 * cells; ++i) ASSERT_EQ(state[i], 0);
}

TEST(Wave, ReachesTimesBetweenItsStepsToSecondOrder) {
  // An off-grid time is one shorter step away; the same time on a solver grid that holds it is close.
  Wave::Options options;
  options.dt = 0.01;
  const auto between = tests::simulate(Wave(square, options), {}, {0.137, 0.5});
  options.dt = 0.001;
  const auto fine = tests::simulate(Wave(square, options), {}, {0.137, 0.5});
  EXPECT_LT(tests::largest_difference(std::span(between[0]).first(cells), std::span(fine[0]).first(cells)),
            1e-3);
  options.dt = 0.01;
  EXPECT_EQ(tests::simulate(Wave(square, options), {}, {0.5})[0], between[1])
      << "the detour must leave no trace";
}

TEST(Wave, ChoosesAStableDecimalStep) {
  EXPECT_DOUBLE_EQ(Wave(square, {}).solver_step(), 0.01);
  EXPECT_DOUBLE_EQ(Wave({256, 256}, {}).solver_step(), 0.005);
  EXPECT_DOUBLE_EQ(Wave({64, 64}, {}).solver_step(), 0.02);
}

TEST(Wave, RefusesAStepBeyondTheStabilityLimit) {
  Wave::Options options;
  options.dt = 0.717 / 64;
  try {
    Wave wave(square, options);
    FAIL() << "C = 0.717 was accepted";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("unstable"), std::string::npos);
  }
  options.dt = 0.7 / 64;
  EXPECT_NO_THROW(Wave(square, options));
}

TEST(Wave, BlowsUpJustBeyondTheLimitThatIsRefused) {
  auto start = drawn_state();
  start[777] += 1e-6;  // feeds the checkerboard mode
  auto wave = on_square(start);
  for (int n = 0; n < 300; ++n) wave.step(0.717 / 64);
  EXPECT_GT(tests::largest_difference(wave.planes().first(cells), start), 1e6);
}

}  // namespace
}  // namespace cvf::systems
