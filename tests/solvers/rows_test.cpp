// Rows are strangers to each other: counts, ragged times, statuses, and what is refused.
#include <gtest/gtest.h>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "support/flows.hpp"
#include "systems/equations.hpp"

namespace cvf::solvers {
namespace {

using torch::Tensor;

const Context context{.delta_min = 0.05, .largest_step = 0.4};

// A small network: batched products round differently for other batch sizes.
Velocity network() {
  const auto options = torch::dtype(torch::kDouble);
  const Tensor in = torch::randn({3, 24}, options), out = torch::randn({24, 3}, options) / 5;
  return [=](const Tensor& state, const Tensor& dt) {
    return torch::tanh(torch::matmul(state, in) + dt.view({-1, 1})).matmul(out);
  };
}

std::vector<double> some_times(RandomStream& random) {
  std::vector<double> out;
  double t = 0;
  for (auto left = random.below(4) + 1; left > 0; --left) out.push_back(t += random.uniform(0.01, 0.8));
  return out;
}

Problem part_of(const Problem& whole, const std::vector<std::int64_t>& rows) {
  Problem out{whole.start.index_select(0, torch::tensor(rows)), {}, {}};
  for (const auto r : rows) {
    out.start_times.push_back(whole.start_times[static_cast<std::size_t>(r)]);
    out.targets.push_back(whole.targets[static_cast<std::size_t>(r)]);
  }
  return out;
}

void expect_same(const Solution& whole, const Solution& part, const std::vector<std::int64_t>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto r = static_cast<std::size_t>(rows[i]);
    EXPECT_EQ(whole.counts[r].evaluations, part.counts[i].evaluations);
    EXPECT_EQ(whole.counts[r].accepted, part.counts[i].accepted);
    EXPECT_EQ(whole.counts[r].rejected, part.counts[i].rejected);
    ASSERT_EQ(whole.steps[r].size(), part.steps[i].size());
    for (std::size_t k = 0; k < whole.steps[r].size(); ++k) {
      EXPECT_NEAR(whole.steps[r][k].step, part.steps[i].at(k).step, 1e-6);
    }
    const auto targets = static_cast<std::int64_t>(whole.target_records[r].size());
    EXPECT_TRUE(torch::allclose(whole.states[rows[i]].narrow(0, 0, targets),
                                part.states[static_cast<std::int64_t>(i)].narrow(0, 0, targets), 1e-6, 1e-6,
                                true));
  }
}

TEST(Rows, TakeTheSameStepsAloneAndInAnyCompany) {
  RandomStream random(2, "companies");
  for (const auto& entry : registry()) {
    for (const auto& velocity : {network(), test::tangent_of(systems::Lorenz{})}) {
      const auto solver = make(entry.name, context);
      Problem whole{2 * torch::randn({9, 3}, torch::kDouble), std::vector<double>(9, 0.0), {}};
      for (int r = 0; r < 9; ++r) whole.targets.push_back(some_times(random));
      const auto all = integrate(*solver, velocity, whole, {.steps = true});
      for (int draw = 0; draw < 12; ++draw) {
        std::vector<std::int64_t> rows{0, 1, 2, 3, 4, 5, 6, 7, 8};
        random.shuffle(rows);
        rows.resize(draw < 4 ? 1 : 1 + random.below(9));
        SCOPED_TRACE(fmt::format("{} rows {}", entry.name, fmt::join(rows, ",")));
        expect_same(all, integrate(*solver, velocity, part_of(whole, rows), {.steps = true}), rows);
      }
    }
  }
}

TEST(Rows, ThatAreDoneAreNotEvaluated) {
  std::int64_t asked = 0;
  const auto inner = test::secant_of(test::Spiral{});
  const Velocity counting = [&](const Tensor& state, const Tensor& dt) {
    asked += state.size(0);
    return inner(state, dt);
  };
  for (const auto& entry : registry()) {
    asked = 0;
    Problem problem{test::some_states(4), {0, 0, 1, 0}, {{0.1}, {0.1, 0.5, 3}, {}, {0, 2}}};
    const auto solution = integrate(*make(entry.name, context), counting, problem);
    std::int64_t counted = 0;
    for (const auto& counts : solution.counts) counted += counts.evaluations;
    EXPECT_EQ(asked, counted) << entry.name;
    EXPECT_EQ(solution.counts[2].evaluations, 0) << "it wants nothing";
    EXPECT_TRUE(torch::equal(solution.states[3][0], problem.start[3])) << "wanted at the start";
    EXPECT_TRUE(solution.states[0][1].isnan().all().item<bool>()) << "has no second target";
    EXPECT_LT(solution.target_records[1][0].counts.evaluations,
              solution.target_records[1][2].counts.evaluations + 1);
  }
}

TEST(Rows, GoThroughRaggedTimesOfATensor) {
  const Tensor times = torch::tensor({{0.0, 1.0, 2.0}, {1.0, 1.5, std::nan("")}}, torch::kDouble);
  const Tensor start = test::some_states(2);
  const auto solution =
      integrate(*make("gcs", context), test::secant_of(test::Spiral{}), ragged_times(start, times));
  EXPECT_EQ(solution.target_records[0].size(), 2U);
  EXPECT_EQ(solution.target_records[1].size(), 1U);
  EXPECT_LT(
      test::difference(solution.states[1][0], test::after(test::Spiral{}, start.narrow(0, 1, 1), 0.5)[0]),
      1e-12);
}

TEST(Rows, StreamTheirStatesToASink) {
  const Problem problem = common_times(test::some_states(3), 0, {0.5, 1});
  const auto kept = integrate(*make("dopri5"), test::tangent_of(test::Circle{}), problem);
  int seen = 0;
  const Sink sink = [&](std::int64_t sample, std::size_t target, const Tensor& state) {
    ++seen;
    EXPECT_TRUE(torch::equal(state[0], kept.states[sample][static_cast<std::int64_t>(target)]));
  };
  const auto streamed = integrate(*make("dopri5"), test::tangent_of(test::Circle{}), problem, {.sink = sink});
  EXPECT_EQ(seen, 6);
  EXPECT_FALSE(streamed.states.defined());
}

TEST(Rows, AnswersOfTheFieldMayBeItsOwnArgument) {
  const Velocity grow = [](const Tensor& state, const Tensor&) { return state; };
  const Tensor start = test::some_states(3);
  for (const auto* name : {"rk4", "dopri5", "tsit5"}) {
    const auto solver = make(name, {.largest_step = 0.1});
    const auto solution = integrate(*solver, grow, common_times(start, 0, {1}));
    EXPECT_LT(test::difference(solution.states.select(1, 0), start * std::exp(1.0)), 2e-3) << name;
  }
}

TEST(Rows, InFloatFollowThoseInDouble) {
  const auto field = network();
  const Velocity mixed = [&](const Tensor& s, const Tensor& dt) { return field(s.to(torch::kDouble), dt); };
  const Tensor start = torch::randn({40, 3}, torch::kDouble);
  for (const auto& entry : registry()) {
    const auto a = integrate(*make(entry.name, context), mixed, common_times(start, 0, {1.3}));
    const auto b =
        integrate(*make(entry.name, context), mixed, common_times(start.to(torch::kFloat), 0, {1.3}));
    EXPECT_EQ(b.states.scalar_type(), torch::kFloat);
    EXPECT_LT(test::difference(a.states, b.states.to(torch::kDouble)), 5e-3) << entry.name;
  }
}

// A tensor that the fused loops cannot take goes through library operations.
TEST(Rows, OfOtherTypesUseLibraryOperations) {
  const auto field = network();
  const Velocity half = [&](const Tensor& s, const Tensor& dt) { return field(s.to(torch::kDouble), dt); };
  const Tensor start = torch::randn({5, 3}, torch::kDouble);
  for (const auto& entry : registry()) {
    const auto a = integrate(*make(entry.name, context), half, common_times(start, 0, {0.7}));
    const auto b =
        integrate(*make(entry.name, context), half, common_times(start.to(torch::kBFloat16), 0, {0.7}));
    EXPECT_LT(test::difference(a.states, b.states.to(torch::kDouble)), 0.2) << entry.name;
  }
}

TEST(Status, NamesTheSampleTheTimeAndTheStepWhereItBlewUp) {
  const Velocity blow_up = [](const Tensor& state, const Tensor&) { return state * state; };
  Tensor start = torch::full({3, 1}, -0.5, torch::kDouble);
  start[1][0] = 1;  // 1/(1 - t): infinite at t = 1
  for (const auto& entry : registry()) {
    const auto solver = make(entry.name, {.delta_min = 0.01, .largest_step = 0.02});
    const auto solution = integrate(*solver, blow_up, common_times(start, 0, {0.5, 3}), {.max_steps = 3000});
    EXPECT_FALSE(reaches_target(solution.statuses[1].status)) << entry.name;
    EXPECT_TRUE(reaches_target(solution.statuses[0].status)) << entry.name << " was hurt by its neighbour";
    EXPECT_TRUE(reaches_target(solution.target_records[1][0].row_status.status)) << entry.name;
    EXPECT_FALSE(reaches_target(solution.target_records[1][1].row_status.status)) << entry.name;
    EXPECT_TRUE(solution.states[1][1].isnan().all().item<bool>());
    const std::string words = sentence(1, solution.statuses[1]);
    EXPECT_NE(words.find("sample 1"), std::string::npos);
    EXPECT_NE(words.find("step of"), std::string::npos);
    std::cout << words << "\n";
  }
}

TEST(Status, SaysThatStepsRanOut) {
  const auto solution = integrate(*test::solver("euler", "h=0.001"), test::secant_of(test::Spiral{}),
                                  common_times(test::some_states(1), 0, {1}), {.max_steps = 50});
  EXPECT_EQ(solution.statuses[0].status, Status::too_many_steps);
  EXPECT_EQ(solution.counts[0].evaluations, 50);
}

// ---- refusals

template <class Refusal>
std::string refusal(const Problem& problem, std::string_view name = "dopri5", const std::string& toml = "") {
  try {
    integrate(*test::solver(name, toml, context), test::tangent_of(test::Circle{}), problem);
  } catch (const Refusal& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(BadProblems, AreRefusedWithASentenceThatNamesTheSample) {
  const Tensor good = test::some_states(2);
  const auto with = [&](std::vector<double> targets) {
    return Problem{good, {0, 1}, {{1, 2}, std::move(targets)}};
  };
  EXPECT_EQ(refusal<DataError>(with({0.5, 2})), "sample 1: target time 0.5 lies before its start at 1");
  EXPECT_EQ(refusal<DataError>(with({2, 1.5})),
            "sample 1: target time 1.5 comes after 2; targets must increase");
  EXPECT_EQ(refusal<DataError>(with({2, 2})), "sample 1: target time 2 is there twice");
  EXPECT_EQ(refusal<DataError>(with({2, NAN})), "sample 1: target time 1 is nan");
  EXPECT_EQ(refusal<UsageError>({good, {0}, {{1}}}), "2 states have 1 start times and 1 lists of targets");
  Problem bad = with({2});
  bad.start = good.clone();
  bad.start[1][0] = NAN;
  EXPECT_EQ(refusal<DataError>(bad), "sample 1: its initial state is not finite");
  EXPECT_NE(refusal<UsageError>(with({2}), "dopri5", "norm=\"batch\"").find("sample 1 has other times"),
            std::string::npos);
  EXPECT_THROW(test::solver("dopri5", "norm=\"batch\"\ndense=false"), ConfigError);
  EXPECT_THROW(make("eulr"), UsageError);
}

TEST(BadProblems, AFieldThatAnswersInAnotherShapeIsRefused) {
  const Velocity wrong = [](const Tensor& s, const Tensor&) { return s.narrow(1, 0, 1); };
  EXPECT_THROW(integrate(*make("rk4"), wrong, common_times(test::some_states(2), 0, {1})), UsageError);
}

}  // namespace
}  // namespace cvf::solvers
