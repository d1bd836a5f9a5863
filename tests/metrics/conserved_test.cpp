// Totals against closed forms, on states whose totals are known.
#include <gtest/gtest.h>

#include <cmath>

#include "metrics/kinds.hpp"
#include "metrics/scoreboard.hpp"

namespace cvf::metrics {
namespace {

using torch::Tensor;

std::map<std::string, double> drifts(const Setting& setting, const Tensor& prediction, const Tensor& truth) {
  Scoreboard board(std::vector<std::string>{"conserved"}, setting);
  Frame frame{prediction, truth, 1};
  for (std::int64_t b = 0; b < truth.size(0); ++b) frame.samples.push_back(b);
  board.add(frame);
  const Score score = board.score("conserved");
  return {score.parts.begin(), score.parts.end()};
}

// A state [1,C,1,2] whose channels are constant.
Tensor uniform(std::vector<double> channels) {
  const auto count = static_cast<std::int64_t>(channels.size());
  return torch::tensor(channels, torch::kDouble).view({1, count, 1, 1}).expand({1, count, 1, 2}).contiguous();
}

TEST(ShallowWater, LosesMassInProportionToItsDepth) {
  const Setting setting{"shallow_water", state_of({"h", "hu", "hv"})};
  const auto found = drifts(setting, uniform({0.9, 5, 5}), uniform({1.0, 0, 0}));
  ASSERT_EQ(found.size(), 1u) << "momentum leaves through the edges and energy is lost in shocks";
  EXPECT_NEAR(found.at("mass"), 0.1, 1e-15);
}

TEST(CompressibleFlow, HasFourTotalsFromPrimitiveChannelsInAnyOrder) {
  Setting setting{"compressible_flow", state_of({"Vx", "Vy", "density", "pressure"}), {{"gamma", 1.5}}};
  const auto found = drifts(setting, uniform({3, 1, 2.2, 1}), uniform({3, -1, 2, 1}));
  EXPECT_NEAR(found.at("mass"), 0.1, 1e-14);
  EXPECT_NEAR(found.at("x momentum"), 0.1, 1e-14);
  EXPECT_NEAR(found.at("y momentum"), (2.2 + 2) / 2, 1e-14);
  EXPECT_NEAR(found.at("energy"), 0.1 * 10 / 12, 1e-14);  // 1/(1.5 - 1) + 2 (9 + 1)/2 = 12
}

TEST(CompressibleFlow, HasTheSameTotalsFromConservedChannels) {
  const Setting setting{"compressible_flow", state_of({"density", "momentum_x", "momentum_y", "energy"})};
  const auto found = drifts(setting, uniform({2.2, 6, 0, 6}), uniform({2, 6, 1, 12}));
  EXPECT_NEAR(found.at("mass"), 0.1, 1e-14);
  EXPECT_NEAR(found.at("x momentum"), 0, 1e-14);
  EXPECT_NEAR(found.at("y momentum"), 1, 1e-14);
  EXPECT_NEAR(found.at("energy"), 0.5, 1e-14);
}

// A standing wave of the five-point Laplacian keeps its energy at every time.
TEST(Wave, KeepsItsDiscreteEnergyExactly) {
  constexpr double pi = 3.14159265358979323846, c = 2, dx = 0.1, dy = 0.2;
  const Tensor x = torch::arange(8, torch::kDouble) * (2 * pi / 8);
  const Tensor y = torch::arange(6, torch::kDouble).unsqueeze(1) * (2 * pi / 6);
  const Tensor shape = (2 * x).cos() * y.cos();
  const double sx = std::sin(2 * pi / 8) / dx, sy = std::sin(pi / 6) / dy,
               omega = 2 * c * std::sqrt(sx * sx + sy * sy);
  const auto state = [&](double t) {
    return torch::stack({shape * std::cos(omega * t), -omega * shape * std::sin(omega * t)}).unsqueeze(0);
  };
  const Setting setting{
      "wave", state_of({"u", "v"}, {{"y", 6, {0, 5 * dy}}, {"x", 8, {0, 7 * dx}}}), {{"c", c}}};
  const auto found = drifts(setting, state(0.37), state(0.1));
  EXPECT_LT(found.at("energy"), 1e-14);
  EXPECT_LT(found.at("momentum"), 1e-14);
  EXPECT_NEAR(drifts(setting, 2 * state(0.1), state(0.1)).at("energy"), 3, 1e-12);
}

TEST(SmallSystems, KeepTheirInvariantsAlongExactSolutions) {
  const auto row = [](std::vector<double> values) {
    return torch::tensor(values, torch::kDouble).unsqueeze(0);
  };
  const double w = 1.7, t = 0.9;
  EXPECT_LT(drifts({"harmonic_oscillator", state_of({"position", "velocity"}), {{"frequency", w}}},
                   row({std::cos(w * t), -w * std::sin(w * t)}), row({1, 0}))
                .at("energy"),
            1e-15);
  const auto circle = drifts({"kepler", state_of({"x", "y", "x_velocity", "y_velocity"})},
                             row({std::cos(t), std::sin(t), -std::sin(t), std::cos(t)}), row({1, 0, 0, 1}));
  EXPECT_LT(circle.at("energy") + circle.at("angular momentum"), 1e-15);
  // Released at rest from a quarter turn, the pendulum passes the bottom with velocity sqrt(2 g/l).
  EXPECT_LT(drifts({"pendulum", state_of({"angle", "velocity"}), {{"gravity", 3}}}, row({0, std::sqrt(6.0)}),
                   row({std::acos(0.0), 0}))
                .at("energy"),
            1e-15);
  EXPECT_NEAR(drifts({"lotka_volterra", state_of({"prey", "predator"})}, row({2, 1}), row({1, 1}))
                  .at("Volterra's function"),
              (1 - std::log(2.0)) / 2, 1e-15);
}

// dV/dt = 0 needs grad V . slope = 0, at any state and with any rates.
TEST(SmallSystems, VolterrasFunctionIsFlatAlongTheFlow) {
  const Setting setting{"lotka_volterra",
                        state_of({"prey", "predator"}),
                        {{"growth", 1.3}, {"predation", 0.7}, {"gain", 0.4}, {"death", 0.9}}};
  Tensor s = torch::tensor({{1.7, 0.6}}, torch::kDouble).set_requires_grad(true);
  conserved_in(setting).at(0)->density(setting)(s).sum().backward();
  const double x = 1.7, y = 0.6;
  const double along = s.grad()[0][0].item<double>() * x * (1.3 - 0.7 * y) +
                       s.grad()[0][1].item<double>() * y * (0.4 * x - 0.9);
  EXPECT_NEAR(along, 0, 1e-15);
}

TEST(SmallSystems, WithFewerThanNoPreyAreInfinitelyFarOff) {
  const auto row = [](double prey) { return torch::tensor({{prey, 1.0}}, torch::kDouble); };
  const auto found = drifts({"lotka_volterra", state_of({"prey", "predator"})}, row(-0.1), row(1));
  EXPECT_TRUE(std::isinf(found.at("Volterra's function")));
}

TEST(Conserved, ClaimsNothingWhereNothingIsKept) {
  for (const char* system : {"diffusion_reaction", "van_der_pol", "damped_pendulum", "lorenz", ""}) {
    EXPECT_TRUE(drifts({system, state_of({"u", "v"})}, uniform({1, 1}), uniform({2, 2})).empty()) << system;
  }
}

}  // namespace
}  // namespace cvf::metrics
