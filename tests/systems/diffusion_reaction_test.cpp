#include "systems/diffusion_reaction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "core/errors.hpp"
#include "support/frames.hpp"
#include "support/reference.hpp"

namespace cvf::systems {
namespace {

using tests::Frames;

const GridSize square{128, 128};
constexpr std::size_t cells = 128 * 128;

FitzHughNagumo with_tolerance(double tolerance) {
  FitzHughNagumo equation;
  equation.rtol = equation.atol = tolerance;
  return equation;
}

Frames run(FitzHughNagumoSolver solver, const std::vector<double>& planes, const std::vector<double>& times) {
  Frames frames;
  solver.run(planes, times, tests::into(frames));
  return frames;
}

Frames run_uniform(double u, double v, const std::vector<double>& times, double tolerance) {
  std::vector<double> planes(2 * 12 * 8, u);
  std::fill(planes.begin() + 12 * 8, planes.end(), v);
  return run({with_tolerance(tolerance), {8, 12}, 0.2, 0.1}, planes, times);
}

/// The default system: seed 0 at 128 x 128, computed once for all tests that look at it.
const Frames& public_sample() {
  static const Frames frames =
      tests::simulate(DiffusionReaction(square, {}), {.seed = 0, .sample = 0}, tests::even_times(101, 0.05));
  return frames;
}

std::vector<double> as_planes(std::span<const double> interleaved) {
  std::vector<double> out(interleaved.size());
  for (std::size_t i = 0; i < cells; ++i) {
    out[i] = interleaved[2 * i];
    out[cells + i] = interleaved[2 * i + 1];
  }
  return out;
}

TEST(DiffusionReaction, AgreesWithTheReferenceInEveryStoredFrame) {
  const std::string name = "dr_128_seed0_tight.h5";
  if (!tests::has_reference(name)) GTEST_SKIP() << "no reference file " << name;
  const auto data = tests::read_reference(name, "data"), times = tests::read_reference(name, "t");
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto expected = as_planes(std::span(data).subspan(i * 2 * cells, 2 * cells));
    const auto frame = static_cast<std::size_t>(std::lround(times[i] / 0.05));
    EXPECT_LT(tests::rms_difference(public_sample()[frame], expected), 5e-5) << "frame " << frame;
    if (frame == 0) {
      EXPECT_EQ(public_sample()[0], expected) << "the initial state differs in some bit";
    }
  }
}

TEST(DiffusionReaction, EndsAtThePublishedValuesForSeedZero) {
  const auto& end = public_sample().back();
  EXPECT_NEAR(end[64 * 128 + 64], 0.0931446666, 1.5e-4);
  EXPECT_NEAR(end[cells + 64 * 128 + 64], 0.0501736295, 1.5e-4);
  EXPECT_NEAR(end[0], -0.4107728916, 1.5e-4);
  EXPECT_NEAR(end[127 * 128], 0.3934746226, 1.5e-4);
}

TEST(DiffusionReaction, EndsAtThePublishedValuesForSeedOneWhenTolerancesAreTight) {
  DiffusionReaction::Options options;
  options.equation = with_tolerance(1e-8);
  const auto frames = tests::simulate(DiffusionReaction(square, options), {.seed = 1, .sample = 0}, {5.0});
  EXPECT_NEAR(frames[0][64 * 128 + 64], 0.4598715975, 2e-6);
  EXPECT_NEAR(frames[0][cells + 64 * 128 + 64], 0.2000514591, 2e-6);
  EXPECT_NEAR(frames[0][0], -0.6005842549, 2e-6);
  const std::span u(frames[0].data(), cells);
  EXPECT_NEAR(tests::mean(u), -0.01949969, 1e-6);
  EXPECT_NEAR(*std::min_element(u.begin(), u.end()), -0.652580, 1e-5);
}

TEST(DiffusionReaction, LetsNothingThroughTheWalls) {
  const auto& state = public_sample()[1];
  const auto slope = FitzHughNagumoSolver({}, square, 2.0 / 128, 2.0 / 128).slope(state);
  double reaction = 0;
  for (std::size_t i = 0; i < cells; ++i) reaction += (state[i] - std::pow(state[i], 3)) / cells;
  const double u = tests::mean(std::span(state).first(cells)), v = tests::mean(std::span(state).last(cells));
  EXPECT_NEAR(tests::mean(std::span(slope).first(cells)), reaction - 5e-3 - v, 1e-14);
  EXPECT_NEAR(tests::mean(std::span(slope).last(cells)), u - v, 1e-14);
}

TEST(DiffusionReaction, ClosesTheBalanceOfMeansBetweenFrames) {
  // d<u>/dt = <u - u^3> - k - <v> and d<v>/dt = <u> - <v>, by Simpson's rule over frames 10 .. 100.
  DiffusionReaction::Options options;
  options.equation = with_tolerance(1e-8);
  const auto frames = tests::simulate(DiffusionReaction(square, options), {}, tests::even_times(101, 0.05));
  double u_rate = 0, v_rate = 0;
  for (std::size_t frame = 10; frame <= 100; ++frame) {
    const double weight = 0.05 / 3 * (frame == 10 || frame == 100 ? 1 : frame % 2 == 0 ? 2 : 4);
    const std::span u(frames[frame].data(), cells), v(frames[frame].data() + cells, cells);
    double reaction = 0;
    for (const double value : u) reaction += (value - value * value * value) / cells;
    u_rate += weight * (reaction - 5e-3 - tests::mean(v));
    v_rate += weight * (tests::mean(u) - tests::mean(v));
  }
  const auto change = [&](std::size_t offset) {
    return tests::mean(std::span(frames[100]).subspan(offset, cells)) -
           tests::mean(std::span(frames[10]).subspan(offset, cells));
  };
  EXPECT_NEAR(u_rate, change(0), 3e-7);
  EXPECT_NEAR(v_rate, change(cells), 3e-7);
}

TEST(DiffusionReaction, KeepsTheUniformFixedPoint) {
  const double rest = -std::cbrt(5e-3);
  for (const auto& frame : run_uniform(rest, rest, {0, 2.5, 5, 50}, 1e-5)) {
    for (const double value : frame) EXPECT_NEAR(value, rest, 1e-15);
  }
}

TEST(DiffusionReaction, FollowsTheOrdinaryEquationFromUniformStates) {
  const double cases[2][6] = {{0.5, 0, 0.4738907445, 0.5203125156, 0.0959361543, 0.2358911747},
                              {1, -1, 0.5608582233, 0.6279742342, 0.0395147227, 0.2281690010}};
  for (const auto& c : cases) {
    const auto frames = run_uniform(c[0], c[1], {2.5, 5}, 1e-11);
    EXPECT_NEAR(frames[0].front(), c[2], 1e-7);
    EXPECT_NEAR(frames[0].back(), c[3], 1e-7);
    EXPECT_NEAR(frames[1].front(), c[4], 1e-7);
    EXPECT_NEAR(frames[1].back(), c[5], 1e-7);
    EXPECT_EQ(frames[1].front(), frames[1][50]) << "the walls must not be felt";
  }
}

/// cos(p pi (i + 1/2) / n) along x in u, and along y in v.
std::vector<double> cosines(int p) {
  std::vector<double> planes(2 * cells);
  for (int y = 0; y < 128; ++y) {
    for (int x = 0; x < 128; ++x) {
      planes[y * 128 + x] = std::cos(p * std::numbers::pi * (x + 0.5) / 128);
      planes[cells + y * 128 + x] = std::cos(p * std::numbers::pi * (y + 0.5) / 128);
    }
  }
  return planes;
}

TEST(DiffusionReaction, DiffusesCosinesAtTheDiscreteEigenvalue) {
  const double rates[2][3] = {{1, 0.0024672772, 0.0123363862}, {4, 0.0394467191, 0.1972335955}};
  for (const auto& rate : rates) {
    const auto planes = cosines(static_cast<int>(rate[0]));
    const auto slope = FitzHughNagumoSolver({}, square, 2.0 / 128, 2.0 / 128).slope(planes);
    for (std::size_t i = 0; i < cells; ++i) {
      const double u = planes[i], v = planes[cells + i];
      ASSERT_NEAR(slope[i], -rate[1] * u + u - u * u * u - 5e-3 - v, 1e-10) << "cell " << i;
      ASSERT_NEAR(slope[cells + i], -rate[2] * v + u - v, 1e-10) << "cell " << i;
    }
  }
}

TEST(DiffusionReaction, IsOfSecondOrderInTheStep) {
  // At tolerance / 8 the steps halve, so the error must fall to a quarter.
  const auto start = DiffusionReaction({24, 32}, {}).initial_state({});
  const auto at = [&](double tolerance) {
    return run({with_tolerance(tolerance), {24, 32}, 0.1, 0.1}, start, {1.0})[0];
  };
  const auto exact = at(1e-10);
  const double coarse = tests::rms_difference(at(1e-5), exact),
               fine = tests::rms_difference(at(1e-5 / 8), exact);
  EXPECT_GT(coarse / fine, 3.0);
  EXPECT_LT(coarse / fine, 5.5);
}

/// Mean over pairs of cells in both directions.
std::vector<double> coarsened(const std::vector<double>& planes, int n) {
  const int half = n / 2;
  std::vector<double> out(2 * static_cast<std::size_t>(half) * half, 0.0);
  for (int part = 0; part < 2; ++part) {
    for (int y = 0; y < n; ++y) {
      for (int x = 0; x < n; ++x) {
        out[(static_cast<std::size_t>(part) * half + y / 2) * half + x / 2] +=
            0.25 * planes[(static_cast<std::size_t>(part) * n + y) * n + x];
      }
    }
  }
  return out;
}

TEST(DiffusionReaction, IsOfSecondOrderInSpaceFromASmoothState) {
  const auto on = [](int n) {
    DiffusionReaction::Options options;
    options.initial = DiffusionReaction::Initial::smooth;
    options.correlation_length = 0.5;
    options.equation = with_tolerance(1e-7);
    options.equation.du = 2e-2;
    options.equation.dv = 1e-1;
    return tests::simulate(DiffusionReaction({n, n}, options), {.seed = 3}, {1.0})[0];
  };
  const auto n16 = on(16), n32 = on(32), n64 = on(64);
  const double first = tests::rms_difference(n16, coarsened(n32, 32));
  const double second = tests::rms_difference(n32, coarsened(n64, 64));
  EXPECT_NEAR(std::log2(first / second), 2.0, 0.15);
}

TEST(DiffusionReaction, GivesTheSameBitsInBothFlavours) {
  if (best_flavour() == Flavour::portable) GTEST_SKIP() << "this CPU has no AVX2";
  for (const GridSize grid : {GridSize{48, 32}, GridSize{5, 33}, GridSize{3, 2}}) {
    const DiffusionReaction system(grid, {});
    const auto start = system.initial_state({.seed = 5});
    const std::vector<double> times{0, 0.01, 0.3, 1};
    EXPECT_EQ(run(system.solver(Flavour::portable), start, times),
              run(system.solver(Flavour::avx2), start, times));
  }
}

TEST(DiffusionReaction, IsStableOnAFineGridWithStrongDiffusion) {
  DiffusionReaction::Options options;
  options.equation.dv = 0.05;
  const auto frames = tests::simulate(DiffusionReaction({64, 256}, options), {.seed = 2}, {1.0});
  for (const double value : frames[0]) ASSERT_LT(std::abs(value), 1.5);
}

TEST(DiffusionReaction, TransposesWithItsInput) {
  // u(x, y) on a 24 x 16 box must equal u(y, x) on the turned one, up to the order of sums.
  const auto start = DiffusionReaction({16, 24}, {}).initial_state({});
  std::vector<double> turned(start.size());
  for (int part = 0; part < 2; ++part) {
    for (int y = 0; y < 16; ++y) {
      for (int x = 0; x < 24; ++x) turned[(part * 24 + x) * 16 + y] = start[(part * 16 + y) * 24 + x];
    }
  }
  const auto one = run({{}, {16, 24}, 0.1, 0.05}, start, {0.5})[0];
  const auto two = run({{}, {24, 16}, 0.05, 0.1}, turned, {0.5})[0];
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 24; ++x) ASSERT_NEAR(one[y * 24 + x], two[x * 16 + y], 1e-13);
  }
}

TEST(DiffusionReaction, BurnInMovesTimeZeroForward) {
  DiffusionReaction::Options options;
  const auto whole = tests::simulate(DiffusionReaction({32, 32}, options), {}, {0.5, 0.75});
  options.burn_in = 0.5;
  EXPECT_EQ(tests::simulate(DiffusionReaction({32, 32}, options), {}, {0, 0.25}), whole);
}

TEST(DiffusionReaction, DrawsSmoothStatesOfUnitVarianceThatNoGridChanges) {
  DiffusionReaction::Options options;
  options.initial = DiffusionReaction::Initial::smooth;
  options.amplitude = 2;
  const DiffusionReaction system({32, 48}, options);
  double square_sum = 0;
  for (std::uint64_t sample = 0; sample < 40; ++sample) {
    for (const double value : system.initial_state({.seed = 1, .sample = sample}))
      square_sum += value * value;
  }
  EXPECT_NEAR(square_sum / (40 * 2 * 48 * 32), 4.0, 0.4);

  options.correlation_length = 0.4;
  const auto coarse = DiffusionReaction({48, 48}, options).initial_state({.seed = 1});
  const auto fine = DiffusionReaction({96, 96}, options).initial_state({.seed = 1});
  EXPECT_LT(tests::rms_difference(coarse, coarsened(fine, 96)), 2e-2);
}

TEST(DiffusionReaction, DrawsAFreshStateForEachAttempt) {
  for (const auto initial : {DiffusionReaction::Initial::legacy, DiffusionReaction::Initial::normal,
                             DiffusionReaction::Initial::smooth}) {
    DiffusionReaction::Options options;
    options.initial = initial;
    const DiffusionReaction system({24, 24}, options);
    EXPECT_GT(tests::rms_difference(system.initial_state({}), system.initial_state({.attempt = 1})), 0.5);
  }
}

TEST(DiffusionReaction, RefusesABoxInsideOutAndSubCellCorrelation) {
  DiffusionReaction::Options options;
  options.x_range = {1, -1};
  EXPECT_THROW(DiffusionReaction(square, options), ConfigError);
  options.x_range = {-1, 1};
  options.initial = DiffusionReaction::Initial::smooth;
  options.correlation_length = 1e-3;
  EXPECT_THROW(DiffusionReaction(square, options), ConfigError);
}

TEST(DiffusionReaction, ReportsAStateThatBlowsUp) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), 1e200}) {
    const std::vector<double> start(2 * 4 * 4, bad);
    EXPECT_THROW(run({{}, {4, 4}, 0.1, 0.1}, start, {1.0}), NumericsError);
  }
}

}  // namespace
}  // namespace cvf::systems
