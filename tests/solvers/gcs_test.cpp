// The greedy consistency solver: what it takes, what it pays, and that it always comes to an end.
#include <gtest/gtest.h>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "support/flows.hpp"

namespace cvf::solvers {
namespace {

using torch::Tensor;

constexpr double delta = 0.05;
const std::string paper = "delta_min=0.05\nmax_step=0\nslack=1";

Solution run(const std::string& toml, const Velocity& velocity, double until, std::int64_t rows = 3) {
  return integrate(*test::solver("gcs", toml), velocity, common_times(test::some_states(rows), 0, {until}),
                   {.steps = true});
}

// psi = 1 + a tau^q in every component: NRE = a tau^q (1 - 2^-q) / (1 + a tau^q).
Velocity power(double a, double q) {
  return test::by_rows(
      [a, q](const double*, double dt, double* out) { out[0] = out[1] = 1 + a * std::pow(std::abs(dt), q); });
}

// psi = tau^-8: NRE = 2^8 - 1 at every step, so that every root lies below delta_min.
const Velocity steep =
    test::by_rows([](const double*, double dt, double* out) { out[0] = out[1] = std::pow(dt, -8); });

TEST(Gcs, TakesTheWholeHorizonOfAnExactSecantWithThreeEvaluations) {
  const Tensor start = test::some_states(3);
  const auto solution = integrate(*test::solver("gcs", paper), test::secant_of(test::Spiral{}),
                                  common_times(start, 0, {5}), {.steps = true});
  EXPECT_EQ(solution.counts[1].evaluations, 3);
  EXPECT_EQ(solution.counts[1].accepted, 1);
  EXPECT_LT(solution.steps[1][0].error, 1e-12);
  EXPECT_LT(test::difference(solution.states.select(1, 0), test::after(test::Spiral{}, start, 5)), 1e-12);
}

TEST(Gcs, BeginsAtTheLongestTrainingStepUnlessToldOtherwise) {
  const auto solver = make("gcs", {.delta_min = delta, .largest_step = 0.5});
  const auto solution =
      integrate(*solver, test::secant_of(test::Spiral{}), common_times(test::some_states(1), 0, {2}));
  EXPECT_EQ(solution.counts[0].evaluations, 12);
}

TEST(Gcs, TakesAStepBelowDeltaMinDirectlyAndProbesOneEqualToIt) {
  EXPECT_EQ(run(paper, power(50, 1), 0.04).counts[0].evaluations, 1);
  const auto equal = run(paper, power(50, 1), delta);
  EXPECT_EQ(equal.counts[0].evaluations, 3);
  EXPECT_EQ(run(paper, power(50, 1), delta * (1 - 1e-7)).counts[0].evaluations, 3) << "rounded times";
}

TEST(Gcs, TakesTheFloorAfterACutWithoutAnotherProbe) {
  const auto solution = run(paper, steep, 2 * delta);
  // Probe 0.1 (3), cut to 0.05 taken (1); the remaining 0.05 is probed (3) and taken at the floor.
  EXPECT_EQ(solution.counts[0].evaluations, 7);
  EXPECT_EQ(solution.counts[0].rejected, 1);
  EXPECT_EQ(solution.statuses[0].status, Status::at_floor);
  EXPECT_TRUE(std::isnan(solution.steps[0][0].error));
  const auto probed = run(paper + "\nprobe_floor=true", steep, 2 * delta);
  EXPECT_EQ(probed.counts[0].evaluations, 9);
  EXPECT_FALSE(std::isnan(probed.steps[0][0].error));
}

TEST(Gcs, AcceptsExactlyWhereTheRuleSays) {
  const double a = 0.3, q = 1, until = 1;
  const auto solution = run(paper, power(a, q), until);
  for (const auto& step : solution.steps[0]) {
    const double term = a * std::pow(step.step, q), nre = term * (1 - std::pow(2, -q)) / (1 + term);
    if (std::isnan(step.error)) continue;
    EXPECT_NEAR(step.error, nre, 1e-7);
    EXPECT_LE(nre, delta / step.step * (1 + 1e-6));
  }
}

TEST(Gcs, CreepsWithoutSlackAndDoesNotWithIt) {
  const Velocity creeping = power(3, 0.5);
  const auto without = run(paper + "\nmax_probes=1000", creeping, 5),
             with = run("delta_min=0.05\nmax_step=0", creeping, 5);
  EXPECT_GT(without.counts[0].rejected, 2 * with.counts[0].rejected);
  const auto guarded = run(paper + "\nmax_probes=4", creeping, 5);
  EXPECT_EQ(guarded.statuses[0].status, Status::too_many_probes);
  EXPECT_NE(sentence(0, guarded.statuses[0]).find("sample 0"), std::string::npos);
}

TEST(Gcs, KeepsTheLastProbedStepWhenTakenLiterally) {
  const auto solution = run("delta_min=0.05\nmax_step=0\nliteral=true", steep, 1);
  EXPECT_EQ(solution.counts[0].evaluations, 3);  // the root is below delta_min: Algorithm 1 returns tau = 1
  EXPECT_DOUBLE_EQ(solution.steps[0][0].step, 1);
  EXPECT_EQ(solution.statuses[0].status, Status::at_floor);
}

TEST(Gcs, BeginsNearTheLastStepWhenWarm) {
  const Velocity field = power(1, 1);
  const auto cold = run("delta_min=0.05\nmax_step=0", field, 20),
             warm = run("delta_min=0.05\nmax_step=0\nwarm_start=1.5", field, 20);
  EXPECT_LT(warm.counts[0].evaluations, cold.counts[0].evaluations);
  EXPECT_EQ(warm.statuses[0].status, Status::done);
}

TEST(Gcs, AdvancesAlongTheTwoHalvesWhenComposed) {
  const Tensor start = test::some_states(4);
  const auto error = [&](const std::string& advance) {
    const auto solution = integrate(*test::solver("gcs", paper + "\nadvance=\"" + advance + "\""),
                                    test::tangent_of(test::Circle{}), common_times(start, 0, {1}));
    return test::difference(solution.states.select(1, 0), test::after(test::Circle{}, start, 1));
  };
  EXPECT_LT(error("composed"), 0.7 * error("secant"));
}

TEST(Gcs, GoesBackInTime) {
  const Tensor start = test::some_states(3);
  Problem problem = common_times(start, 0, {-0.5, -2});
  problem.backward = true;
  const auto solution = integrate(*test::solver("gcs", paper), test::secant_of(test::Spiral{}), problem);
  EXPECT_EQ(solution.counts[0].evaluations, 6);
  EXPECT_LT(test::difference(solution.states.select(1, 1), test::after(test::Spiral{}, start, -2)), 1e-12);
}

TEST(Gcs, RefusesWhatCannotBe) {
  EXPECT_THROW(make("gcs"), ConfigError);
  EXPECT_THROW(test::solver("gcs", "max_step=0.01", {.delta_min = delta}), ConfigError);
}

// ---- any field at all

enum Kind { zero, constant, nothing, far_nothing, infinite, jumping, powers, random_kind, kinds };

// State (x, kind, a, q): only x moves.
void strange(const double* s, double dt, double* out) {
  out[1] = out[2] = out[3] = 0;
  const double a = s[2], q = s[3], tau = std::abs(dt);
  switch (static_cast<Kind>(static_cast<int>(s[1]))) {
    case zero:
      out[0] = 0;
      break;
    case constant:
      out[0] = a;
      break;
    case nothing:
      out[0] = NAN;
      break;
    case far_nothing:
      out[0] = tau > q ? NAN : a;
      break;
    case infinite:
      out[0] = tau > q ? INFINITY : a;
      break;
    case jumping:
      out[0] = std::sin(1e6 * s[0]) > 0 ? a : -a;
      break;
    case powers:
      out[0] = 1 + a * std::pow(tau, q);
      break;
    default:
      out[0] = a * std::sin(1e9 * (s[0] + tau));
      break;
  }
}

TEST(Gcs, EndsOnAnyFieldWithinMaxProbes) {
  RandomStream random(1, "strange fields");
  const std::int64_t rows = 500;
  const auto draw = [&] {
    Tensor start = torch::zeros({rows, 4}, torch::kDouble);
    double* s = start.data_ptr<double>();
    for (std::int64_t r = 0; r < rows; ++r, s += 4) {
      s[1] = static_cast<double>(random.below(kinds));
      s[2] = std::pow(10, random.uniform(-3, 3));
      s[3] = random.uniform(0.01, 1.5);
    }
    return start;
  };
  for (int round = 0; round < 200; ++round) {  // 100 000 rows
    const int probes = static_cast<int>(random.below(30)) + 1;
    const double until = random.uniform(0.001, 3), least = std::pow(10, random.uniform(-2, 0));
    const bool literal = random.below(4) == 0;
    const auto solver = test::solver(
        "gcs", fmt::format("delta_min={}\nmax_step={}\nslack={}\nmax_probes={}\nwarm_start={}\nliteral={}\n"
                           "advance=\"{}\"\nprobe_floor={}",
                           least, random.below(2) * 2 * least, random.uniform(0.5, 1), probes,
                           static_cast<double>(random.below(3)), literal,
                           random.below(2) == 0 ? "secant" : "composed", random.below(2) == 0));
    const Tensor start = draw();
    const auto solution =
        integrate(*solver, test::by_rows(strange), common_times(start, 0, {until}), {.steps = true});
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
      const Counts& counts = solution.counts[r];
      const Status status = solution.statuses[r].status;
      ASSERT_LE(counts.evaluations, (counts.accepted + 1) * (3 * probes + 3));
      ASSERT_TRUE(reaches_target(status) || status == Status::non_finite) << name(status);
      if (!reaches_target(status)) continue;
      double sum = 0;
      const auto& steps = solution.steps[r];
      for (std::size_t i = 0; i < steps.size(); ++i) {
        sum += steps[i].step;
        ASSERT_TRUE(i + 1 == steps.size() || steps[i].step >= least * (1 - 1e-12));
      }
      ASSERT_NEAR(sum, until, 1e-9);
    }
  }
}

}  // namespace
}  // namespace cvf::solvers
