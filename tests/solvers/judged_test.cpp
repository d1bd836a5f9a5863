// Steps whose NRE is measured in a second pass: the NRE that gcs would have measured, and what it would
// have made of them.
#include <gtest/gtest.h>

#include "support/flows.hpp"

namespace cvf::solvers {
namespace {

using torch::Tensor;

std::vector<std::vector<double>> lengths_of(const Solution& solution) {
  std::vector<std::vector<double>> out;
  for (const auto& steps : solution.steps) {
    auto& own = out.emplace_back();
    for (const auto& step : steps) own.push_back(step.step);
  }
  return out;
}

// The secant of a spiral, with an error that grows with the step.
const Velocity imperfect = test::by_rows([](const double* s, double dt, double* out) {
  test::Spiral{}.secant(s, dt, out);
  for (int i = 0; i < 2; ++i) out[i] += 0.05 * dt * s[i] * s[i];
});

TEST(JudgedSteps, HaveTheNreOfGcsAndLeadToTheSameState) {
  const Tensor start = test::some_states(3);
  const Context context{.delta_min = 0.25, .largest_step = 0.5};
  const auto times = common_times(start, 0, {0.3, 1.1, 2.2});
  const auto searched = integrate(*make("gcs", context), imperfect, times, {.steps = true});
  const auto unmeasured = integrate(*make("euler", context), imperfect, times, {.steps = true});
  ASSERT_EQ(lengths_of(searched), lengths_of(unmeasured)) << "nothing was to be shortened";
  EXPECT_TRUE(torch::equal(searched.states, unmeasured.states));
  EXPECT_LT(unmeasured.counts[0].evaluations, searched.counts[0].evaluations);
  const auto judged = integrate(*judged_steps(lengths_of(unmeasured)), imperfect, common_times(start, 0, {2.2}),
                                {.steps = true});
  for (std::size_t row = 0; row < 3; ++row) {
    const auto& steps = judged.steps[row];
    ASSERT_EQ(steps.size(), searched.steps[row].size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      EXPECT_TRUE(std::isnan(unmeasured.steps[row][i].error));
      if (std::isnan(searched.steps[row][i].error)) continue;  // shorter than delta_min
      EXPECT_EQ(steps[i].error, searched.steps[row][i].error);
      EXPECT_GT(steps[i].error, 0);
    }
    EXPECT_EQ(judged.counts[row].evaluations, 3 * judged.counts[row].accepted);
  }
  EXPECT_TRUE(torch::equal(judged.states.select(1, 0), unmeasured.states.select(1, 2)));
}

TEST(JudgedSteps, SayWhereGcsWouldHaveTakenShorterOnes) {
  // One step from 0 to 1: gcs keeps it or cuts it, as its rule of the NRE says.
  const Tensor start = test::some_states(1);
  int kept = 0, cut = 0;
  for (const double delta_min : {0.001, 0.01, 0.05, 0.2, 0.9}) {
    const Context context{.delta_min = delta_min, .largest_step = 1};
    const auto times = common_times(start, 0, {1});
    const auto searched = integrate(*make("gcs", context), imperfect, times, {.steps = true});
    const auto judged = integrate(*judged_steps({{1}}), imperfect, times, {.steps = true});
    const bool takes = gcs_takes(judged.steps[0][0].error, 1, delta_min);
    EXPECT_EQ(takes, searched.steps[0].size() == 1) << delta_min;
    ++(takes ? kept : cut);
  }
  EXPECT_GT(kept, 0);
  EXPECT_GT(cut, 0);
}

TEST(JudgedSteps, AreNotForSolversThatGoAlongTangents) {
  EXPECT_TRUE(make("euler")->steps_along_secants());
  EXPECT_TRUE(make("gcs", {.delta_min = 1})->steps_along_secants());
  for (const char* name : {"rk4", "dopri5", "tsit5"}) EXPECT_FALSE(make(name)->steps_along_secants()) << name;
}

}  // namespace
}  // namespace cvf::solvers
