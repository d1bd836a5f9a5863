#include "normalizers/normalizer.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/errors.hpp"

namespace cvf::normalizers {
namespace {

struct Sample {
  Physical states{torch::randn({7, 3, 4, 5}, torch::kDouble) * 3 + 2};
  Physical velocities{torch::randn({7, 3, 4, 5}, torch::kDouble) * 11 - 5};
};

double distance(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

TEST(EveryNormalizer, GoesThereAndBackExactly) {
  const Sample sample;
  for (const auto& row : registry()) {
    auto n = row.make(3, {});
    n->fit(sample.states, sample.velocities);
    EXPECT_LT(distance(n->to_physical(n->to_model(sample.states)).value, sample.states.value), 1e-13)
        << row.name;
    const auto psi = n->target(sample.velocities);
    EXPECT_LT(distance(n->physical_velocity(psi).value, sample.velocities.value), 1e-12) << row.name;
  }
}

TEST(EveryNormalizer, AStepInModelUnitsIsAStepInPhysicalUnits) {
  const Sample sample;
  const double dt = 0.3;
  for (const auto& row : registry()) {
    auto n = row.make(3, {});
    n->fit(sample.states, sample.velocities);
    const auto psi = n->target(sample.velocities);
    const auto in_model = n->to_model(sample.states).value + dt * n->model_velocity(psi);
    const auto in_physical = sample.states.value + dt * sample.velocities.value;
    EXPECT_LT(distance(n->to_physical({in_model}).value, in_physical), 1e-12) << row.name;
  }
}

TEST(EveryNormalizer, StandardisesItsTargets) {
  const Sample sample;
  for (const auto& row : registry()) {
    if (row.name == "single") continue;
    auto n = row.make(3, {});
    n->fit(sample.states, sample.velocities);
    const auto moments = Moments::of(n->target(sample.velocities));
    EXPECT_LT(distance(moments.mean, torch::zeros(3, torch::kDouble)), 1e-9) << row.name;
    EXPECT_LT(distance(moments.variance, torch::ones(3, torch::kDouble)), 1e-9) << row.name;
  }
}

TEST(EveryNormalizer, IsSavedAndLoadedWhole) {
  const Sample sample;
  for (const auto& row : registry()) {
    auto n = row.make(3, {}), other = row.make(3, {});
    n->fit(sample.states, sample.velocities);
    other->load(n->state());
    EXPECT_TRUE(torch::equal(other->target(sample.velocities), n->target(sample.velocities))) << row.name;
    EXPECT_THROW(other->load({}), ModelError);
    EXPECT_THROW(row.make(2, {})->load(n->state()), ModelError);
  }
}

TEST(EveryNormalizer, KeepsTheDtypeOfWhatItIsGiven) {
  for (const auto& row : registry()) {
    EXPECT_EQ(row.make(3, {})->to_model({torch::zeros({2, 3})}).value.dtype(), torch::kFloat) << row.name;
  }
}

// Whatever the units, with one exact power of two for the other.
TEST(EveryNormalizer, DoesNotDependOnUnits) {
  const Sample sample;
  const auto psi = torch::randn({7, 3, 4, 5}, torch::kDouble);
  for (const auto& row : registry()) {
    if (row.name == "single") continue;  // its psi has the unit of 1/time
    auto n = row.make(3, {.time_unit = 0.5});
    n->fit(sample.states, sample.velocities);
    for (const int power : {-60, 60}) {
      const double state = std::exp2(power), time = std::exp2(power / 2);
      auto scaled = row.make(3, {.time_unit = 0.5 * time});
      const Physical states{sample.states.value * state},
          velocities{sample.velocities.value * (state / time)};
      scaled->fit(states, velocities);
      EXPECT_TRUE(torch::equal(scaled->to_model(states).value, n->to_model(sample.states).value)) << row.name;
      EXPECT_LT(distance(scaled->target(velocities), n->target(sample.velocities)), 1e-12) << row.name;
      EXPECT_LT(distance(scaled->model_velocity(psi) * time, n->model_velocity(psi)), 1e-12) << row.name;
    }
  }
}

TEST(EveryNormalizer, KeepsConstantChannelsFinite) {
  for (const auto& row : registry()) {
    for (const double constant : {0.0, 1e-30, 300.0, -1e20}) {
      auto n = row.make(1, {.time_unit = 1e-12});
      const Physical states{torch::full({4, 1}, constant, torch::kDouble)};
      n->fit(states, {torch::zeros({4, 1}, torch::kDouble)});
      const auto psi = n->target({torch::zeros({4, 1}, torch::kDouble)});
      EXPECT_EQ(psi.abs().max().item<double>(), 0) << row.name << " " << constant;
      EXPECT_LT(n->to_model(states).value.abs().max().item<double>(), 1e-6) << row.name << " " << constant;
      const auto moved = n->physical_velocity(torch::ones({4, 1}, torch::kDouble)).value;
      EXPECT_TRUE(torch::isfinite(moved).all().item<bool>()) << row.name << " " << constant;
    }
  }
}

// As every model from before there was a relative one.
TEST(EveryNormalizer, TakesTheAbsoluteEpsilonsWhereTheRelativeOneIsZero) {
  const double variance = 3e-9, mean = 4;
  EXPECT_EQ(state_deviation(variance, mean, {.relative_epsilon = 0}), std::sqrt(variance + 1e-8));
  EXPECT_EQ(velocity_deviation(variance, 2, {.relative_epsilon = 0, .time_unit = 1e-3}),
            std::sqrt(variance + 1e-12));
  EXPECT_DOUBLE_EQ(state_deviation(variance, mean, {.relative_epsilon = 1e-12}),
                   std::sqrt(variance + 1.6e-11));
}

TEST(Moments, FollowByAnExponentialAverage) {
  Moments moments(1);
  const auto values = torch::tensor({{1.0}, {3.0}}, torch::kDouble);  // mean 2, variance 1
  moments.follow(Moments::of(values), 0.9);
  EXPECT_NEAR(moments.mean.item<double>(), 0.1 * 2, 1e-15);
  EXPECT_NEAR(moments.variance.item<double>(), 0.9 * 1 + 0.1 * 1, 1e-15);
}

}  // namespace
}  // namespace cvf::normalizers
