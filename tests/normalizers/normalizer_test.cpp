#include "normalizers/normalizer.hpp"

#include <gtest/gtest.h>

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

TEST(Moments, FollowByAnExponentialAverage) {
  Moments moments(1);
  const auto values = torch::tensor({{1.0}, {3.0}}, torch::kDouble);  // mean 2, variance 1
  moments.follow(Moments::of(values), 0.9);
  EXPECT_NEAR(moments.mean.item<double>(), 0.1 * 2, 1e-15);
  EXPECT_NEAR(moments.variance.item<double>(), 0.9 * 1 + 0.1 * 1, 1e-15);
}

}  // namespace
}  // namespace cvf::normalizers
