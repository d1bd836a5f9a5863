// Driven oscillators: the force that the file holds is the force that acted.
#include "systems/forcing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/errors.hpp"
#include "support/frames.hpp"
#include "systems/small_ode.hpp"

namespace cvf::systems {
namespace {

using Kind = Forcing::Kind;
using Oscillator = SmallOde<Duffing>;

Oscillator::Options linear(Kind kind) {
  Oscillator::Options options;
  options.equation = {.alpha = 4, .beta = 0, .damping = 0.3};
  options.forcing.kind = kind;
  return options;
}

/// x'' + damping x' + alpha x = f0 + f1 t over one interval, exactly.
std::pair<double, double> exact_step(const Duffing& eq, double x, double v, double f0, double f1, double h) {
  const double slope = f1 / eq.alpha, level = (f0 - eq.damping * slope) / eq.alpha;  // x = level + slope t
  const double rate = 0.5 * eq.damping, w = std::sqrt(eq.alpha - rate * rate);
  const double a = x - level, b = (v - slope + rate * a) / w;
  const double e = std::exp(-rate * h), c = std::cos(w * h), s = std::sin(w * h);
  return {level + slope * h + e * (a * c + b * s),
          slope + e * ((b * w - rate * a) * c - (a * w + rate * b) * s)};
}

class EveryForce : public testing::TestWithParam<Kind> {};

TEST_P(EveryForce, ActsAsTheFileTellsLinearBetweenFrames) {
  const auto options = linear(GetParam());
  const Oscillator system({}, options);
  std::vector<double> times = tests::even_times(60, 0.1);
  for (std::size_t i = 1; i + 1 < times.size(); ++i)
    times[i] += 0.03 * std::sin(7.0 * static_cast<double>(i));
  const Draw draw{.seed = 2, .sample = 5};
  const auto force = system.controls(draw, times).at(0);
  const auto frames = tests::simulate(system, draw, times);
  double x = frames[0][0], v = frames[0][1];
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double h = times[i] - times[i - 1];
    std::tie(x, v) = exact_step(options.equation, x, v, force[i - 1], (force[i] - force[i - 1]) / h, h);
    ASSERT_NEAR(frames[i][0], x, 1e-8) << "frame " << i;
    ASSERT_NEAR(frames[i][1], v, 1e-8) << "frame " << i;
  }
}

TEST_P(EveryForce, IsTheSameAgainAndOtherwiseForAnotherSample) {
  const Oscillator system({}, linear(GetParam()));
  const auto times = tests::even_times(20, 0.1);
  EXPECT_EQ(system.controls({.sample = 1}, times), system.controls({.sample = 1}, times));
  EXPECT_NE(system.controls({.sample = 1}, times), system.controls({.sample = 2}, times));
  EXPECT_NE(system.controls({.attempt = 1}, times), system.controls({}, times));
  EXPECT_EQ(system.state().names(Role::control), std::vector<std::string>{"force"});
}

TEST_P(EveryForce, StaysWithinItsAmplitude) {
  auto options = linear(GetParam());
  options.forcing.amplitude = {0.5, 0.5};
  float largest = 0;
  for (std::uint64_t sample = 0; sample < 5; ++sample) {
    const auto u = Oscillator({}, options).controls({.sample = sample}, tests::even_times(97, 0.1))[0];
    for (const float value : u) largest = std::max(largest, std::abs(value));
  }
  EXPECT_LE(largest, 0.5F);
  EXPECT_GT(largest, 0.35F);
}

INSTANTIATE_TEST_SUITE_P(Forcing, EveryForce,
                         testing::Values(Kind::sine, Kind::steps, Kind::chirp, Kind::noise));

TEST(Forcing, SineHasTheFrequencyThatWasAskedFor) {
  auto options = linear(Kind::sine);
  options.forcing.frequency = {3, 3};
  const double h = 0.1;
  const auto u = Oscillator({}, options).controls({.sample = 1}, tests::even_times(50, h))[0];
  for (std::size_t i = 1; i + 1 < u.size(); ++i)  // sin(a+b) + sin(a-b) = 2 sin(a) cos(b)
    ASSERT_NEAR(u[i + 1] + u[i - 1], 2 * u[i] * std::cos(3 * h), 1e-6);
}

TEST(Forcing, StepsChangeFromOneFrameToTheNextAndHoldInBetween) {
  auto options = linear(Kind::steps);
  options.forcing.interval = 1;
  const auto u = Oscillator({}, options).controls({}, tests::even_times(41, 0.1))[0];
  for (std::size_t i = 1; i + 1 < u.size(); ++i) {
    if (i % 10 == 0)
      EXPECT_NE(u[i], u[i - 1]) << i;
    else
      EXPECT_EQ(u[i], u[i - 1]) << i;
  }
}

TEST(Forcing, NoiseIsLinearBetweenItsValues) {
  auto options = linear(Kind::noise);
  options.forcing.interval = 0.5;
  const auto u = Oscillator({}, options).controls({}, tests::even_times(41, 0.1))[0];
  std::set<int> kinks;
  for (std::size_t i = 1; i + 1 < u.size(); ++i) {
    if (std::abs(u[i + 1] - 2 * u[i] + u[i - 1]) > 1e-5) kinks.insert(static_cast<int>(i));
  }
  EXPECT_EQ(kinks, (std::set<int>{5, 10, 15, 20, 25, 30, 35}));
}

TEST(Forcing, NoneLeavesTheFreeOscillatorItsEnergy) {
  Oscillator::Options options;
  options.forcing.kind = Kind::none;
  options.equation.damping = 0;
  const Oscillator system({}, options);
  EXPECT_TRUE(system.state().names(Role::control).empty());
  EXPECT_TRUE(system.controls({}, std::vector{0.0, 1.0}).empty());
  const auto frames = tests::simulate(system, {.seed = 1}, tests::even_times(97, 0.1));
  const auto energy = [](const std::vector<double>& s) {
    return 0.5 * (s[1] * s[1] + s[0] * s[0]) + 0.25 * s[0] * s[0] * s[0] * s[0];
  };
  for (const auto& s : frames) ASSERT_NEAR(energy(s), energy(frames[0]), 1e-8);
}

TEST(Forcing, PutsExactlyItsPowerIntoTheDuffingOscillator) {
  // d/dt (v^2/2 + x^2/2 + x^4/4) = v u - damping v^2, summed by the trapezoidal rule over fine frames
  Oscillator::Options options;
  const Oscillator system({}, options);
  const double h = 1e-3;
  const auto times = tests::even_times(4001, h);
  const auto u = system.controls({.seed = 3}, times)[0];
  const auto frames = tests::simulate(system, {.seed = 3}, times);
  const auto energy = [](const std::vector<double>& s) {
    return 0.5 * (s[1] * s[1] + s[0] * s[0]) + 0.25 * s[0] * s[0] * s[0] * s[0];
  };
  double work = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const double v = frames[i][1], power = v * u[i] - options.equation.damping * v * v;
    work += h * power * (i == 0 || i + 1 == frames.size() ? 0.5 : 1);
  }
  EXPECT_GT(std::abs(work), 1e-2);
  EXPECT_NEAR(energy(frames.back()) - energy(frames[0]), work, 1e-6);
}

TEST(Forcing, DrivesAPendulumByATorqueWhenAsked) {
  SmallOde<DampedPendulum>::Options options;
  const SmallOde<DampedPendulum> free({}, options);
  EXPECT_TRUE(free.state().names(Role::control).empty());
  options.forcing.kind = Kind::steps;
  const SmallOde<DampedPendulum> driven({}, options);
  EXPECT_EQ(driven.state().names(Role::control), std::vector<std::string>{"torque"});
  const auto times = tests::even_times(20, 0.1);
  const auto one = tests::simulate(free, {}, times), other = tests::simulate(driven, {}, times);
  EXPECT_EQ(one[0], other[0]);
  EXPECT_GT(tests::largest_difference(one.back(), other.back()), 1e-2);
  tests::Frames nothing;
  EXPECT_FALSE(driven.flow(one[0], std::vector{0.1}, tests::into(nothing)));
}

TEST(Forcing, WithoutAForceAgreesWithTheFreeEquation) {
  SmallOde<Pendulum>::Options options;
  const SmallOde<Pendulum> free({}, options);
  options.forcing.kind = Kind::sine;
  options.forcing.amplitude = {0, 0};
  const auto times = tests::even_times(97, 0.1);
  const auto one = tests::simulate(free, {}, times),
             other = tests::simulate(SmallOde<Pendulum>({}, options), {}, times);
  EXPECT_LT(tests::largest_difference(one.back(), other.back()), 1e-7);
}

TEST(Forcing, BeginsAtTimeZeroEvenWhereTheFirstFrameIsLater) {
  const Oscillator system({}, linear(Kind::sine));
  const auto all = tests::even_times(40, 0.01), later = std::vector<double>(all.begin() + 20, all.end());
  EXPECT_LT(tests::largest_difference(tests::simulate(system, {}, all).back(),
                                      tests::simulate(system, {}, later).back()),
            1e-3);
}

TEST(Forcing, ThatBlowsUpIsReported) {
  Oscillator::Options options;
  options.equation.beta = -50;
  options.ranges = {{5, 5}, {5, 5}};
  const Oscillator system({}, options);
  EXPECT_THROW(tests::simulate(system, {}, tests::even_times(50, 0.1)), NumericsError);
}

TEST(Forcing, RefusesRangesInsideOut) {
  Oscillator::Options options;
  options.forcing.amplitude = {1, 0};
  EXPECT_THROW(Oscillator({}, options), ConfigError);
}

}  // namespace
}  // namespace cvf::systems
