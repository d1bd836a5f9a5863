#include "systems/small_ode.hpp"

#include <gtest/gtest.h>

#include "core/errors.hpp"
#include "support/frames.hpp"

namespace cvf::systems {
namespace {

template <class Equation>
tests::Frames run(typename SmallOde<Equation>::Options options = {}, int frames = 101, double spacing = 0.1) {
  return tests::simulate(SmallOde<Equation>({}, options), {.seed = 11}, tests::even_times(frames, spacing));
}

/// Checks that `quantity` of the state stays what it is in the first frame.
template <class Quantity>
void expect_kept(const tests::Frames& frames, double tolerance, Quantity quantity) {
  ASSERT_GT(tests::largest_difference(frames.front(), frames[frames.size() / 3]), 1e-3) << "nothing moves";
  for (const auto& s : frames) ASSERT_NEAR(quantity(s), quantity(frames.front()), tolerance);
}

TEST(SmallOde, HarmonicOscillatorFollowsItsClosedForm) {
  SmallOde<HarmonicOscillator>::Options options;
  options.equation.frequency = 3;
  const auto frames = run<HarmonicOscillator>(options);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const double phase = 3 * 0.1 * static_cast<double>(i);
    const double position = frames[0][0] * std::cos(phase) + frames[0][1] / 3 * std::sin(phase);
    ASSERT_NEAR(frames[i][0], position, 2e-8);
  }
}

TEST(SmallOde, PendulumKeepsItsEnergy) {
  expect_kept(run<Pendulum>(), 1e-8, [](const auto& s) { return 0.5 * s[1] * s[1] - std::cos(s[0]); });
}

TEST(SmallOde, DampedPendulumFollowsTheClosedFormForSmallAngles) {
  SmallOde<DampedPendulum>::Options options;
  options.ranges = {{1e-4, 1e-4}, {0, 0}};
  const auto frames = run<DampedPendulum>(options);
  const double rate = 0.1, frequency = std::sqrt(1 - rate * rate);  // angle'' + 0.2 angle' + angle = 0
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const double t = 0.1 * static_cast<double>(i), phase = frequency * t;
    const double angle = 1e-4 * std::exp(-rate * t) * (std::cos(phase) + rate / frequency * std::sin(phase));
    ASSERT_NEAR(frames[i][0], angle, 1e-9);
  }
}

TEST(SmallOde, LotkaVolterraKeepsItsInvariant) {
  expect_kept(run<LotkaVolterra>(), 1e-8,
              [](const auto& s) { return s[0] - std::log(s[0]) + s[1] - std::log(s[1]); });
}

TEST(SmallOde, KeplerKeepsEnergyAndAngularMomentum) {
  const auto frames = run<Kepler>();
  expect_kept(frames, 1e-8,
              [](const auto& s) { return 0.5 * (s[2] * s[2] + s[3] * s[3]) - 1 / std::hypot(s[0], s[1]); });
  expect_kept(frames, 1e-8, [](const auto& s) { return s[0] * s[3] - s[1] * s[2]; });
}

TEST(SmallOde, KeplerGoesRoundACircleInTwoPi) {
  SmallOde<Kepler>::Options options;
  options.ranges = {{1, 1}, {0, 0}, {0, 0}, {1, 1}};
  const double period = 6.283185307179586;
  const auto frames = tests::simulate(SmallOde<Kepler>({}, options), {}, {0, period / 4, period});
  EXPECT_NEAR(frames[1][1], 1, 1e-8);
  EXPECT_LT(tests::largest_difference(frames[2], frames[0]), 1e-7);
}

TEST(SmallOde, LorenzAgreesWithATighterTolerance) {
  SmallOde<Lorenz>::Options tight;
  tight.tolerance = 1e-13;
  const auto usual = run<Lorenz>({}, 101, 0.02), exact = run<Lorenz>(tight, 101, 0.02);
  EXPECT_LT(tests::largest_difference(usual.back(), exact.back()), 1e-6);
}

TEST(SmallOde, LorenzRestsAtItsFixedPoint) {
  const double r = std::sqrt(8.0 / 3 * 27);
  SmallOde<Lorenz>::Options options;
  options.ranges = {{r, r}, {r, r}, {27, 27}};
  for (const auto& s : run<Lorenz>(options, 11, 0.1))
    EXPECT_LT(tests::largest_difference(s, std::vector{r, r, 27.0}), 1e-9);
}

TEST(SmallOde, VanDerPolReachesItsLimitCycleOfAmplitudeTwo) {
  // For mu = 2 the limit cycle's largest position is 2.0199, from any start but the origin.
  double largest = 0;
  const auto frames = run<VanDerPol>({}, 4001, 0.01);
  for (std::size_t i = 2000; i < frames.size(); ++i) largest = std::max(largest, frames[i][0]);
  EXPECT_NEAR(largest, 2.0199, 2e-4);
}

TEST(SmallOde, DrawsInsideTheAskedRanges) {
  SmallOde<Pendulum>::Options options;
  options.ranges = {{0.5, 0.6}, {-3, -2}};
  const SmallOde<Pendulum> system({}, options);
  for (std::uint64_t sample = 0; sample < 20; ++sample) {
    const auto start = tests::simulate(system, {.sample = sample}, {0})[0];
    EXPECT_TRUE(start[0] >= 0.5 && start[0] < 0.6 && start[1] >= -3 && start[1] < -2);
  }
}

TEST(SmallOde, RefusesAGridAndRangesInsideOut) {
  SmallOde<Pendulum>::Options options;
  EXPECT_THROW(SmallOde<Pendulum>({8, 8}, options), ConfigError);
  options.ranges[0] = {1, 0};
  EXPECT_THROW(SmallOde<Pendulum>({}, options), ConfigError);
}

TEST(SmallOde, ReportsAStateThatBlowsUp) {
  const auto square = [](const double* s, double* out) { out[0] = s[0] * s[0]; };  // infinite at t = 1
  const auto nowhere = [](std::size_t, std::span<const double>) {};
  EXPECT_THROW(integrate_ode("square", square, {1.0}, 1e-8, std::vector{2.0}, nowhere), NumericsError);
}

}  // namespace
}  // namespace cvf::systems
