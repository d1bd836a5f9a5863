// A secant field is its own dense output: targets inside a step, by the mean velocity from its beginning.
#include <gtest/gtest.h>

#include "support/flows.hpp"

namespace cvf::solvers {
namespace {

using test::after;
using test::difference;
using test::Spiral;
using torch::Tensor;

const Context training{.delta_min = 0.1, .largest_step = 0.4};
const std::vector<double> tenths{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};

Solution run(std::string_view solver, const std::string& toml, const Velocity& field,
             const Problem& problem) {
  return integrate(*test::solver(solver, toml, training), field, problem, {.steps = true});
}

std::vector<double> lengths(const Solution& solution, std::size_t row = 0) {
  std::vector<double> out;
  for (const auto& step : solution.steps[row]) out.push_back(step.step);
  return out;
}

// The exact secant, and an error of `size` in the velocity of every step shorter than the longest.
Velocity wrong_on_short_steps(double size) {
  return [secant = test::secant_of(Spiral{}), size](const Tensor& state, const Tensor& dt) {
    return secant(state, dt) + size * (dt < 0.39).to(state.dtype()).view({-1, 1});
  };
}

TEST(Dense, StepsAreTheLongestAndEachTargetInsideCostsOneEvaluation) {
  const Tensor start = test::some_states(3);
  const auto solution = run("euler", "", test::secant_of(Spiral{}), common_times(start, 0, tenths));
  ASSERT_EQ(solution.steps[0].size(), 3U);
  EXPECT_DOUBLE_EQ(solution.steps[0][1].step, 0.4);
  EXPECT_NEAR(solution.steps[0][2].step, 0.2, 1e-15);
  EXPECT_EQ(solution.counts[0].evaluations, 10);  // three steps, and seven targets that lie inside them
  EXPECT_EQ(solution.target_records[0][2].counts.evaluations, 4);
  EXPECT_EQ(solution.target_records[0][3].counts.evaluations,
            4);  // the end of the first step is there for free
  for (std::size_t k = 0; k < tenths.size(); ++k) {
    EXPECT_LT(difference(solution.states.select(1, static_cast<std::int64_t>(k)),
                         after(Spiral{}, start, tenths[k])),
              1e-13);
  }
}

TEST(Dense, ErrorsOfShortStepsDoNotAddUp) {
  const Tensor start = test::some_states(1);
  const auto error_at = [&](const char* toml, std::int64_t target) {
    const auto s = run("euler", toml, wrong_on_short_steps(0.01), common_times(start, 0, tenths));
    return difference(s.states.select(1, target),
                      after(Spiral{}, start, tenths[static_cast<std::size_t>(target)]));
  };
  EXPECT_NEAR(error_at("", 6), 0.3 * 0.01, 1e-12);    // of its own step alone
  EXPECT_LT(error_at("", 7), 1e-13);                  // the end of two long steps
  EXPECT_GT(error_at("dense=false", 6), 0.6 * 0.01);  // of seven short ones
}

TEST(Dense, TargetsDoNotChangeTheSteps) {
  const Tensor start = test::some_states(4);
  for (const char* solver : {"euler", "gcs"}) {
    const auto few = run(solver, "", wrong_on_short_steps(0.3), common_times(start, 0, {1.0}));
    const auto many = run(solver, "", wrong_on_short_steps(0.3),
                          common_times(start, 0, {0.03, 0.11, 0.5, 0.77, 0.771, 1.0}));
    for (std::size_t row = 0; row < 4; ++row) EXPECT_EQ(lengths(few, row), lengths(many, row)) << solver;
    EXPECT_TRUE(torch::equal(few.states.select(1, 0), many.states.select(1, 5))) << solver;
  }
}

TEST(Dense, GoesBackwardAndFromRaggedTimes) {
  const Tensor start = test::some_states(2);
  Problem back = common_times(start, 1, {0.9, 0.45, -0.3});
  back.backward = true;
  const auto solution = run("gcs", "", test::secant_of(Spiral{}), back);
  EXPECT_LT(difference(solution.states.select(1, 1), after(Spiral{}, start, -0.55)), 1e-13);
  EXPECT_LT(difference(solution.states.select(1, 2), after(Spiral{}, start, -1.3)), 1e-13);
  Problem ragged{start, {0, 5}, {{0.1, 0.9}, {5, 5.05, 5.2, 7}}};
  const auto two = run("euler", "", test::secant_of(Spiral{}), ragged);
  EXPECT_LT(difference(two.states[0][1], after(Spiral{}, start, 0.9)[0]), 1e-13);
  EXPECT_LT(difference(two.states[1][0], start[1]), 1e-15);
  EXPECT_LT(difference(two.states[1][3], after(Spiral{}, start, 2)[1]), 1e-13);
}

TEST(Dense, StepsEndOnJumpsOfTheProblem) {
  const Tensor start = test::some_states(1);
  Problem problem = common_times(start, 0, {0.1, 0.25, 0.3, 0.6});
  problem.breaks = {{0.25, 0.5}};
  const auto solution = run("euler", "", test::secant_of(Spiral{}), problem);
  const auto steps = lengths(solution);
  ASSERT_EQ(steps.size(), 3U);
  for (const auto& [i, length] : {std::pair{0U, 0.25}, {1U, 0.25}, {2U, 0.1}})
    EXPECT_NEAR(steps[i], length, 1e-15);
  EXPECT_EQ(solution.counts[0].evaluations, 5);  // 0.25 is the end of the first step
  EXPECT_LT(difference(solution.states.select(1, 3), after(Spiral{}, start, 0.6)), 1e-13);
}

TEST(Dense, AStateInsideThatIsNotFiniteStopsItsRow) {
  const auto field = [secant = test::secant_of(Spiral{})](const Tensor& state, const Tensor& dt) {
    return secant(state, dt) / (dt > 0.05).to(state.dtype()).view({-1, 1});
  };
  const auto solution =
      run("euler", "", field, {test::some_states(2), {0, 0}, {{0.1, 0.42, 0.9}, {0.1, 0.9}}});
  EXPECT_EQ(solution.statuses[0].status, Status::non_finite);
  EXPECT_EQ(solution.statuses[1].status, Status::done);
  EXPECT_TRUE(torch::isfinite(solution.states[0][0]).all().item<bool>());
  EXPECT_TRUE(torch::isnan(solution.states[0][1]).all().item<bool>());
  EXPECT_TRUE(torch::isnan(solution.states[0][2]).all().item<bool>());
}

TEST(Dense, HalvesOfADenseWayPassTheSameTargets) {
  const Tensor start = test::some_states(1);
  const auto whole = run("euler", "", test::secant_of(Spiral{}), common_times(start, 0, tenths));
  const auto halves = integrate(*half_steps({lengths(whole)}), test::secant_of(Spiral{}),
                                common_times(start, 0, tenths), {.steps = true});
  EXPECT_EQ(halves.steps[0].size(), 6U);
  EXPECT_LT(difference(halves.states, whole.states), 1e-13);
}

// The field is right over whole steps only: every target inside must tell, the one in the middle too.
TEST(Dense, HalvesDisagreeWithTheWholeAtEveryTarget) {
  const Tensor start = test::some_states(1);
  const auto field = [secant = test::secant_of(Spiral{})](const Tensor& state, const Tensor& dt) {
    return secant(state, dt) + (0.4 - dt).view({-1, 1});
  };
  const std::vector<double> targets{0.05, 0.2, 0.3, 0.4, 0.6, 0.8};
  const auto whole = run("euler", "", field, common_times(start, 0, targets));
  const auto halves =
      integrate(*half_steps({lengths(whole)}), field, common_times(start, 0, targets), {.steps = true});
  ASSERT_EQ(whole.steps[0].size(), 2U);
  EXPECT_EQ(halves.steps[0].size(), 4U);
  for (std::int64_t k = 0; k < 6; ++k)
    EXPECT_GT(difference(halves.states.select(1, k), whole.states.select(1, k)), 1e-4) << k;
  EXPECT_EQ(halves.counts[0].evaluations, 4 + 2 * 4) << "half steps, and two for each target inside of steps";
}

TEST(Dense, WithoutALongestStepEveryTargetEndsOne) {
  const auto solver = test::solver("euler", "", {.delta_min = 0.1});
  EXPECT_EQ(solver->at_targets(), AtTargets::end_step);
  EXPECT_EQ(test::solver("euler", "h=0.2", {.delta_min = 0.1})->at_targets(), AtTargets::evaluate);
  EXPECT_EQ(test::solver("gcs", "max_step=0", training)->at_targets(), AtTargets::end_step);
}

}  // namespace
}  // namespace cvf::solvers
