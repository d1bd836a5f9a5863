#include "systems/burgers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/errors.hpp"
#include "support/frames.hpp"

namespace cvf::systems {
namespace {

using State = std::vector<double>;

Burgers line(int cells, double viscosity, double cfl = 0.5) {
  Burgers::Options options;
  options.viscosity = viscosity;
  options.cfl = cfl;
  return {{1, cells}, options};
}

State after(const Burgers& system, const State& start, double time) {
  State out;
  system.flow(start, std::array{time}, [&](std::size_t, std::span<const double> u) {
    out = {u.begin(), u.end()};
  });
  return out;
}

double mean_of(const State& u) {
  return std::accumulate(u.begin(), u.end(), 0.0) / static_cast<double>(u.size());
}

double variation_of(const State& u) {
  double out = std::abs(u.front() - u.back());
  for (std::size_t i = 1; i < u.size(); ++i) out += std::abs(u[i] - u[i - 1]);
  return out;
}

// Cole and Hopf: u = -2 nu phi_x / phi with phi_t = nu phi_xx; here phi = 1 + a exp(-nu k^2 t) cos(k x), seen
// from a frame that moves with -drift. Averages over cells are differences of -2 nu log(phi).
State cole_hopf(int cells, double nu, double drift, double time) {
  const double k = 2 * std::numbers::pi, a = 0.95 * std::exp(-nu * k * k * time), dx = 1.0 / cells;
  const auto log_phi = [&](double x) { return std::log(1 + a * std::cos(k * (x - drift * time))); };
  State out;
  for (int i = 0; i < cells; ++i)
    out.push_back(drift - 2 * nu * (log_phi((i + 1) * dx) - log_phi(i * dx)) / dx);
  return out;
}

double error_on(int cells, double drift) {
  const double nu = 0.02, time = 0.4;
  return tests::rms_difference(after(line(cells, nu), cole_hopf(cells, nu, drift, 0), time),
                               cole_hopf(cells, nu, drift, time));
}

TEST(Burgers, FollowsTheSolutionOfColeAndHopfAtSecondOrder) {
  for (const double drift : {0.0, 0.7, -1.3}) {
    const double coarse = error_on(64, drift), middle = error_on(128, drift), fine = error_on(256, drift);
    EXPECT_LT(fine, 5e-4) << drift;
    EXPECT_GT(std::log2(coarse / middle), 1.8) << drift;
    EXPECT_GT(std::log2(middle / fine), 1.8) << drift;
  }
}

TEST(Burgers, KeepsTheMeanToRoundOff) {
  for (const double nu : {0.0, 0.01}) {
    const auto system = line(96, nu);
    const auto start = system.initial_state({.seed = 4});
    EXPECT_NEAR(mean_of(after(system, start, 1.5)), mean_of(start), 1e-14);
  }
}

TEST(Burgers, MakesNoNewExtremesAtShocks) {
  const auto system = line(128, 1e-4);
  auto before = system.initial_state({.seed = 2});
  for (int i = 0; i < 10; ++i) {
    const auto now = after(system, before, 0.1);
    EXPECT_LE(variation_of(now), variation_of(before) * (1 + 1e-13));
    EXPECT_LE(*std::max_element(now.begin(), now.end()),
              *std::max_element(before.begin(), before.end()) + 1e-13);
    before = now;
  }
}

// Two jumps, 1 | 0 and 0 | 1: the first is a shock of speed 1/2, the second opens into u = (x - x0)/t.
TEST(Burgers, MovesAShockAtTheMeanOfItsSides) {
  const int cells = 200;
  State start(cells, 0.0);
  for (int i = 20; i < 80; ++i) start[static_cast<std::size_t>(i)] = 1;
  const auto end = after(line(cells, 0), start, 0.3);  // from 0.1 .. 0.4: the shock is now at 0.55
  for (int i = 0; i < cells; ++i) {
    const double x = (i + 0.5) / cells, exact = x < 0.1 ? 0 : x < 0.4 ? (x - 0.1) / 0.3 : x < 0.55 ? 1 : 0;
    if (std::abs(x - 0.55) < 0.011) continue;  // the shock itself
    EXPECT_NEAR(end[static_cast<std::size_t>(i)], exact, 0.03) << x;
  }
}

TEST(Burgers, AShiftedStateGivesTheShiftedSolution) {
  const auto system = line(48, 0.01);
  const auto start = system.initial_state({.seed = 9});
  auto shifted = start, expected = after(system, start, 0.37);
  std::rotate(shifted.begin(), shifted.begin() + 5, shifted.end());
  std::rotate(expected.begin(), expected.begin() + 5, expected.end());
  EXPECT_EQ(after(system, shifted, 0.37), expected);
}

TEST(Burgers, DrawsStatesOfTheAmplitudeAndMeanThatWereAskedFor) {
  Burgers::Options options;
  options.amplitude = 0.7;
  options.mean = 2;
  const Burgers system({1, 256}, options);
  double least = 9, most = -9;
  for (std::uint64_t sample = 0; sample < 20; ++sample) {
    const auto u = system.initial_state({.sample = sample});
    const double mean = mean_of(u);
    double squares = 0;
    for (const double value : u) squares += (value - mean) * (value - mean);
    EXPECT_NEAR(std::sqrt(squares / 256), 0.7, 0.7e-3);
    least = std::min(least, mean);
    most = std::max(most, mean);
  }
  EXPECT_LT(least, -0.5);
  EXPECT_GT(most, 0.5);
  EXPECT_GE(least, -2);
  EXPECT_LE(most, 2);
}

TEST(Burgers, RefusesAPlaneAndModesThatTheGridDoesNotResolve) {
  EXPECT_THROW(Burgers({16, 16}, {}), ConfigError);
  Burgers::Options many;
  many.modes = 9;
  EXPECT_THROW(Burgers({1, 16}, many), ConfigError);
}

}  // namespace
}  // namespace cvf::systems
