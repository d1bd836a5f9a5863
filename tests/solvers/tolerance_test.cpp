// gcs with a tolerance: the error of every step that it accepts is what was asked for.
#include <gtest/gtest.h>

#include "core/errors.hpp"
#include "support/flows.hpp"
#include "support/scratch.hpp"

namespace cvf::solvers {
namespace {

using testing_support::sentence_of;
using torch::Tensor;

// psi(s, h) = 1 + c h for a state that moves with velocity 1: a step of h is wrong by c h^2, in every value;
// its legs of h/2 are wrong by c h/2 each, so NRE = (c h / 2) / (1 + c h).
constexpr double c = 0.1;

Velocity leaning() {
  return test::by_rows([](const double*, double dt, double* out) { out[0] = out[1] = 1 + c * dt; });
}

double nre_of(double h) {
  return c * h / 2 / (1 + c * h);
}

// The exact error at every knot; between them the map is linear in logarithms, as h^2 is.
std::shared_ptr<const StepErrors> exact() {
  StepErrors out;
  for (double h = 1.0 / 64; h <= 4; h *= 2) {
    out.length.push_back(h);
    out.nre.push_back(nre_of(h));
  }
  for (const double h : out.length) {
    for (std::size_t k = 0; k < out.nre.size(); ++k) out.error.push_back(c * h * h);
  }
  return std::make_shared<const StepErrors>(out);
}

TEST(Tolerance, IsKeptByEveryStepAndUsed) {
  for (const double tolerance : {1e-1, 1e-2, 1e-3, 1e-4}) {
    SCOPED_TRACE(tolerance);
    const auto gcs = test::solver("gcs", fmt::format("tolerance = {}\nmax_step = 0.0", tolerance),
                                  {.delta_min = 1.0 / 64, .largest_step = 4, .step_errors = exact()});
    const Tensor start = torch::zeros({1, 2}, torch::kDouble);
    const auto solution = integrate(*gcs, leaning(), common_times(start, 0, {8}), {.steps = true});
    EXPECT_EQ(solution.statuses[0].status, Status::done);
    double way = 0, longest = 0;
    for (const auto& step : solution.steps[0]) {
      EXPECT_LE(c * step.step * step.step, tolerance * (1 + 1e-9));
      longest = std::max(longest, step.step);
      way += step.step;
    }
    EXPECT_NEAR(way, 8, 1e-12);
    EXPECT_GT(c * longest * longest, 0.5 * tolerance) << "no shorter than it must be";
  }
}

TEST(Tolerance, BelowWhatTheLeastStepCanDoIsSaid) {
  const auto gcs = test::solver("gcs", "tolerance = 1e-9",
                                {.delta_min = 1.0 / 64, .largest_step = 4, .step_errors = exact()});
  const auto solution =
      integrate(*gcs, leaning(), common_times(torch::zeros({1, 2}, torch::kDouble), 0, {1}), {.steps = true});
  EXPECT_EQ(solution.statuses[0].status, Status::at_floor);
}

// An error that goes with a small power of the length, as that of a field whose fit is the limit.
Solution with_error_of_power(double power, double tolerance) {
  StepErrors map;
  for (double h = 1.0 / 64; h <= 1; h *= 2)
    map.length.push_back(h), map.error.push_back(0.01 * std::pow(h, power));
  map.nre = {1e-3};
  const auto gcs = test::solver(
      "gcs", fmt::format("tolerance = {}\nmax_step = 0.0", tolerance),
      {.delta_min = 1.0 / 64, .largest_step = 1, .step_errors = std::make_shared<const StepErrors>(map)});
  return integrate(*gcs, test::by_rows([](const double*, double, double* out) { out[0] = out[1] = 1; }),
                   common_times(torch::zeros({1, 2}, torch::kDouble), 0, {1}), {.steps = true});
}

TEST(Tolerance, ThatNoStepKeepsCostsNoShortSteps) {
  const auto solution = with_error_of_power(0, 1e-3);  // a step of any length is off by .01
  EXPECT_EQ(solution.statuses[0].status, Status::at_floor);
  EXPECT_EQ(solution.steps[0].size(), 1u);
}

// Steps of 1/36 and less would keep it, and 36 of them make 25 times the error of one.
TEST(Tolerance, TakesNoShortStepsThatMakeMoreErrorOnTheSameWay) {
  const auto solution = with_error_of_power(0.1, 0.007);
  EXPECT_EQ(solution.statuses[0].status, Status::at_floor);
  EXPECT_EQ(solution.steps[0].size(), 1u);
  EXPECT_TRUE(std::isfinite(solution.steps[0][0].error)) << "its NRE is known from the search";
  EXPECT_LE(solution.counts[0].evaluations, 3 * 3 + 1) << "the whole way, two that were no better, and back";
}

TEST(Tolerance, IsKeptWhereShorterStepsAreWorthIt) {
  const auto solution = with_error_of_power(1.2, 0.001);
  EXPECT_EQ(solution.statuses[0].status, Status::done);
  for (const auto& step : solution.steps[0]) EXPECT_LE(0.01 * std::pow(step.step, 1.2), 0.001);
}

TEST(Tolerance, WithoutALearnedMapSaysWhatToRun) {
  const auto sentence =
      sentence_of<ConfigError>([] { test::solver("gcs", "tolerance = 1e-3", {.delta_min = 1}); });
  EXPECT_NE(sentence.find("solver.tolerance = 0.001"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("cvf evaluate RUN --calibrate"), std::string::npos) << sentence;
}

TEST(Tolerance, OfZeroIsThePapersRule) {
  const Context context{.delta_min = 1.0 / 64, .largest_step = 4, .step_errors = exact()};
  const auto plain = test::solver("gcs", "", context), zero = test::solver("gcs", "tolerance = 0.0", context);
  const auto problem = common_times(torch::zeros({1, 2}, torch::kDouble), 0, {8});
  const auto one = integrate(*plain, leaning(), problem, {.steps = true}),
             other = integrate(*zero, leaning(), problem, {.steps = true});
  ASSERT_EQ(one.steps[0].size(), other.steps[0].size());
  EXPECT_TRUE(torch::equal(one.states, other.states));
}

TEST(StepErrors, AreLinearInLogarithmsAndGoOnInProportion) {
  const StepErrors map{{0.01, 0.1}, {1, 2}, {1e-4, 1e-3, 4e-4, 4e-3}};
  EXPECT_TRUE(map.sound());
  EXPECT_NEAR(map.at(0.01, 1), 1e-4, 1e-15);
  EXPECT_NEAR(map.at(0.1, 2), 4e-3, 1e-14);
  EXPECT_NEAR(map.at(std::sqrt(0.001), 1), std::sqrt(1e-7), 1e-12);
  EXPECT_NEAR(map.at(0.01, std::sqrt(2)), 2e-4, 1e-12);
  EXPECT_NEAR(map.at(1e-9, 1), 1e-4, 1e-15);
  EXPECT_NEAR(map.at(0.2, 1), 2e-3, 1e-12);
  EXPECT_NEAR(map.at(0.1, 6), 12e-3, 1e-12);
  EXPECT_NEAR(map.at(0.1, 0.5), 5e-4, 1e-12);
  EXPECT_FALSE((StepErrors{{0.01, 0.1}, {1, 2}, {1e-4, 1e-3, 4e-4}}.sound()));
  EXPECT_FALSE((StepErrors{{0.01, 0.1}, {1}, {1e-3, 1e-4}}.sound()));
  EXPECT_FALSE((StepErrors{{}, {}, {}}.sound()));
}

}  // namespace
}  // namespace cvf::solvers
