// The random starts of the compressible flow: their statistics and the choices that shape them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/errors.hpp"
#include "support/frames.hpp"
#include "systems/compressible_flow.hpp"
#include "systems/random_fields.hpp"

namespace cvf::systems {
namespace {

using Planes = std::vector<double>;

CompressibleFlow::Start start_of(CompressibleFlow::Options options, std::uint64_t sample,
                                 GridSize grid = {48, 64}) {
  return CompressibleFlow(grid, options).draw_start({.seed = 1, .sample = sample});
}

double rms(const Planes& values) {
  return tests::rms_difference(values, Planes(values.size(), 0.0));
}

/// a d_x f + b d_y g, sampled: (a, b) = (1, 1) of (u, v) is the divergence, (1, -1) of (v, u) the vorticity.
double rms_of_derivatives(const Waves& f, const Waves& g, double sign) {
  Waves sum = f;
  for (std::size_t n = 0; n < f.size(); ++n) {
    const double kx = f[n].i, ky = sign * f[n].j;
    sum[n].sine = -(kx * f[n].cosine + ky * g[n].cosine);
    sum[n].cosine = kx * f[n].sine + ky * g[n].sine;
  }
  return rms(sample_waves(sum, {48, 48}));
}

double divergence_over_vorticity(int shift, std::uint64_t sample) {
  RandomStream stream(5, "test", sample);
  Waves u = random_waves(stream), v = random_waves(stream);
  project_divergence_free(u, v, shift);
  return rms_of_derivatives(u, v, 1) / rms_of_derivatives(v, u, -1);
}

TEST(CompressibleStart, ProjectsExactlyOrAsPublished) {
  double published = 0;
  for (std::uint64_t sample = 0; sample < 40; ++sample) {
    EXPECT_LT(divergence_over_vorticity(0, sample), 1e-14);
    published += divergence_over_vorticity(1, sample) / 40;
  }
  EXPECT_NEAR(published, 0.135, 0.02);
}

TEST(CompressibleStart, SumsThePlaneWavesThatItNames) {
  const Waves waves{{2, -3, 0.7, 0.2}, {-1, 4, 0.1, -0.5}};
  const Planes field = sample_waves(waves, {6, 10});
  for (std::size_t n = 0; n < field.size(); ++n) {
    const double x = (static_cast<double>(n % 10) + 0.5) / 10, y = (static_cast<double>(n / 10) + 0.5) / 6;
    double sum = 0;
    for (const PlaneWave& wave : waves) {
      const double angle = 2 * std::numbers::pi * (wave.i * x + wave.j * y);
      sum += wave.sine * std::sin(angle) + wave.cosine * std::cos(angle);
    }
    EXPECT_NEAR(field[n], sum, 1e-13);
  }
}

TEST(CompressibleStart, MakesTurbulenceOfMeanSpeedOne) {
  for (const double mach : {0.1, 1.0}) {
    CompressibleFlow::Options options;
    options.mach = mach;
    const Planes planes = start_of(options, 0).planes;
    const std::size_t cells = planes.size() / 4;
    double speed = 0, fastest = 0, mean_x = 0;
    for (std::size_t n = 0; n < cells; ++n) {
      const double here = std::hypot(planes[2 * cells + n], planes[3 * cells + n]);
      speed += here;
      mean_x += planes[2 * cells + n];
      fastest = std::max(fastest, here);
      ASSERT_EQ(planes[n], 1);
      ASSERT_DOUBLE_EQ(planes[cells + n], 0.6 / (mach * mach));
    }
    EXPECT_NEAR(speed / static_cast<double>(cells), 1, 1e-12);
    EXPECT_NEAR(mean_x / static_cast<double>(cells), 0, 1e-12);
    EXPECT_TRUE(fastest > 2 && fastest < 4.2) << fastest;
  }
}

TEST(CompressibleStart, MakesRandomStatesRoundTheirMeans) {
  CompressibleFlow::Options options;
  options.initial = CompressibleFlow::Initial::rand;
  options.window = 0;
  for (std::uint64_t sample = 0; sample < 20; ++sample) {
    const CompressibleFlow::Start start = start_of(options, sample);
    const std::span<const double> all(start.planes);
    const std::size_t cells = all.size() / 4;
    EXPECT_TRUE(start.density >= 0.1 && start.density < 10);
    EXPECT_NEAR(tests::mean(all.first(cells)), start.density, 1e-10);
    EXPECT_NEAR(tests::mean(all.subspan(cells, cells)), start.density * start.temperature, 1e-9);
    double speed = 0;
    for (std::size_t n = 0; n < cells; ++n) speed += std::hypot(all[2 * cells + n], all[3 * cells + n]);
    EXPECT_NEAR(speed / static_cast<double>(cells), std::sqrt(5.0 / 3 * start.temperature), 1e-10);
    EXPECT_GT(*std::min_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(2 * cells)), 0);
  }
}

TEST(CompressibleStart, LeavesTheGasOutsideTheWindowAtRest) {
  CompressibleFlow::Options options;
  options.initial = CompressibleFlow::Initial::rand;
  options.window = 1;
  const CompressibleFlow::Start start = start_of(options, 3);
  EXPECT_TRUE(start.windowed);
  const std::size_t cells = start.planes.size() / 4;
  EXPECT_NEAR(start.planes[0], start.density, 1e-6 * start.density);  // the corner is never inside
  EXPECT_NEAR(start.planes[2 * cells], 0, 1e-6);
  int quiet = 0;
  for (std::size_t n = 0; n < cells; ++n) quiet += std::abs(start.planes[2 * cells + n]) < 1e-3 ? 1 : 0;
  const double width = 0.45 + 2 * 0.035;  // a tanh edge of 0.01 falls to a thousandth within 0.035
  EXPECT_NEAR(quiet / static_cast<double>(cells), 1 - width * width, 0.03);
}

TEST(CompressibleStart, OpensAWindowWithTheGivenProbability) {
  CompressibleFlow::Options options;
  options.initial = CompressibleFlow::Initial::rand;
  int windowed = 0;
  for (std::uint64_t sample = 0; sample < 400; ++sample)
    windowed += start_of(options, sample, {8, 8}).windowed ? 1 : 0;
  EXPECT_NEAR(windowed, 200, 40);
}

TEST(CompressibleStart, DrawsAnewForEverySampleAndAttempt) {
  const CompressibleFlow system({16, 16}, {});
  const Planes first = system.draw_start({.seed = 1}).planes;
  EXPECT_EQ(system.draw_start({.seed = 1}).planes, first);
  EXPECT_NE(system.draw_start({.seed = 2}).planes, first);
  EXPECT_NE(system.draw_start({.seed = 1, .sample = 1}).planes, first);
  EXPECT_NE(system.draw_start({.seed = 1, .sample = 0, .attempt = 1}).planes, first);
}

TEST(CompressibleStart, ReadsItsOptionsByName) {
  CompressibleFlow::Options options;
  const auto describe = [&](config::Section& section) { options.describe(section); };
  config::Document::from_text("initial = 'rand'\nviscous = 'pdebench'\neta = 0.1\nmach = 0.1", "test")
      .read(describe);
  EXPECT_EQ(options.initial, CompressibleFlow::Initial::rand);
  EXPECT_EQ(options.viscous, Stress::pdebench);
  EXPECT_EQ(options.eta, 0.1);
  EXPECT_THROW(config::Document::from_text("initial = 'calm'", "test").read(describe), ConfigError);
  EXPECT_THROW(config::Document::from_text("gamma = 1.0", "test").read(describe), ConfigError);
}

}  // namespace
}  // namespace cvf::systems
