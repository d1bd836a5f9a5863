#include "systems/advection_diffusion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/errors.hpp"
#include "support/frames.hpp"

namespace cvf::systems {
namespace {

using Line = AdvectionDiffusion<LineTransport>;
using Plane = AdvectionDiffusion<BoxTransport>;
constexpr double two_pi = 2 * std::numbers::pi;

// Each wave written out at one place and time.
double closed_form(const Waves& waves, double length, double x, double y, double ax, double ay, double nu,
                   double t) {
  double sum = 0;
  for (const auto& wave : waves) {
    const double kx = two_pi * wave.i / length, ky = two_pi * wave.j / length;
    const double phase = kx * (x - ax * t) + ky * (y - ay * t);
    sum += std::exp(-nu * (kx * kx + ky * ky) * t) *
           (wave.sine * std::sin(phase) + wave.cosine * std::cos(phase));
  }
  return sum;
}

TEST(AdvectionDiffusion, FollowsTheClosedFormInABox) {
  Plane::Options options;
  options.equation = {.velocity_x = 0.7, .velocity_y = -1.3, .diffusivity = 0.02};
  options.length = 2;
  const Plane box({12, 16}, options);
  const auto waves = box.initial_waves({.seed = 5});
  const std::vector<double> times{0, 0.37, 1.9}, xs = box.state().coordinates("x"),
                                                 ys = box.state().coordinates("y");
  const auto frames = tests::simulate(box, {.seed = 5}, times);
  for (std::size_t f = 0; f < times.size(); ++f) {
    for (std::size_t j = 0; j < ys.size(); ++j) {
      for (std::size_t i = 0; i < xs.size(); ++i)
        ASSERT_NEAR(frames[f][j * 16 + i], closed_form(waves, 2, xs[i], ys[j], 0.7, -1.3, 0.02, times[f]),
                    1e-12);
    }
  }
}

TEST(AdvectionDiffusion, FollowsTheClosedFormOnALine) {
  const Line line({1, 32}, {});
  const auto waves = line.initial_waves({.sample = 2});
  const auto frames = tests::simulate(line, {.sample = 2}, {0.5});
  const auto xs = line.state().coordinates("x");
  for (std::size_t i = 0; i < xs.size(); ++i)
    ASSERT_NEAR(frames[0][i], closed_form(waves, 1, xs[i], 0.5, 1, 0, 0.01, 0.5), 1e-12);
}

TEST(AdvectionDiffusion, SatisfiesItsEquationAtSecondOrderOfTheDifferences) {
  const auto residual = [](int n) {
    Plane::Options options;
    options.equation = {.velocity_x = 1, .velocity_y = 0.5, .diffusivity = 0.05};
    const double h = 1.0 / n, dt = 0.1 * h;
    const auto f = tests::simulate(Plane({n, n}, options), {.seed = 1}, {0.1 - dt, 0.1, 0.1 + dt});
    double worst = 0;
    const auto at = [&](int j, int i) {
      return f[1][static_cast<std::size_t>((j + n) % n * n + (i + n) % n)];
    };
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        const auto cell = static_cast<std::size_t>(j * n + i);
        const double rate = (f[2][cell] - f[0][cell]) / (2 * dt);
        const double stream =
            (at(j, i + 1) - at(j, i - 1)) / (2 * h) + 0.5 * (at(j + 1, i) - at(j - 1, i)) / (2 * h);
        const double lap =
            (at(j, i + 1) + at(j, i - 1) + at(j + 1, i) + at(j - 1, i) - 4 * at(j, i)) / (h * h);
        worst = std::max(worst, std::abs(rate + stream - 0.05 * lap));
      }
    }
    return worst;
  };
  EXPECT_NEAR(std::log2(residual(64) / residual(128)), 2, 0.1);
}

TEST(AdvectionDiffusion, KeepsTheMeanAndLosesVarianceOnlyByDiffusion) {
  Line::Options options;
  options.equation.diffusivity = 0;
  const auto still = tests::simulate(Line({1, 64}, options), {}, {0, 0.5, 1});
  const std::vector<double> zero(64, 0.0);
  EXPECT_NEAR(tests::rms_difference(still[0], zero), 1, 1e-12) << "amplitude is the root mean square";
  EXPECT_NEAR(tests::rms_difference(still[1], zero), 1, 1e-12);
  EXPECT_LT(tests::largest_difference(still[0], still[2]), 1e-11) << "once round";
  const auto spread = tests::simulate(Line({1, 64}, {}), {}, {0, 0.5});
  EXPECT_LT(tests::rms_difference(spread[1], zero), 0.9);
  EXPECT_NEAR(tests::mean(spread[1]), 0, 1e-14);
}

TEST(AdvectionDiffusion, RefusesTheOtherKindOfGrid) {
  EXPECT_THROW(Line({16, 16}, {}), ConfigError);
  EXPECT_THROW(Plane({1, 16}, {}), ConfigError);
}

}  // namespace
}  // namespace cvf::systems
