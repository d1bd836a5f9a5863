// Models in double precision: plain loops against LibTorch, to the last digits.
#include <thread>

#include "cvf/cvf.hpp"
#include "runtime/models.hpp"

namespace cvf::runtime {
namespace {

using test::Pair;
using test::relative_difference;
using test::values_of;
using torch::Tensor;

constexpr double last_digits = 1e-12;

class InDouble : public testing::TestWithParam<test::Kind> {
 protected:
  static Pair pair(int members = 1, const std::vector<std::string>& settings = {}) {
    return Pair(test::in_double(test::random_model(GetParam(), members)), settings);
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, InDouble, testing::ValuesIn(test::kinds),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(InDouble, ForecastsAreThoseOfLibTorch) {
  for (const int members : {1, 2}) {
    for (const std::string name : {"euler", "rk4", "gcs", "dopri5", "tsit5"}) {
      // A step of a pair follows from its error, a difference of nearly equal numbers: it has fewer digits.
      const double bound = name == "dopri5" || name == "tsit5" ? 1e-10 : last_digits;
      const auto both = pair(members, {"solver.name=" + name});
      ASSERT_TRUE(both.plain->is_double());
      const auto conditions = both.conditions(2);
      const Tensor states = both.states(2);
      const auto expected = rollout::forecast({rollout::on_tensors(both.tensors), both.plain->solver()},
                                              rollout::array_of(states), {{0, 0.4, 1.3}, {0, 0.4, 1.3}}, {},
                                              conditions.contexts);
      const std::size_t values = both.plain->values();
      std::vector<double> mine(2 * 2 * values, NAN), apart(mine.size(), NAN);
      const auto given = values_of<double>(states);
      const auto trace = forecast<double>(
          *both.plain, given.data(), 2, {{0.4, 1.3}}, conditions, 1,
          [&](std::size_t sample, std::size_t target, const double* state, const double* spread) {
            std::copy_n(state, values, mine.data() + (sample * 2 + target) * values);
            if (spread != nullptr) std::copy_n(spread, values, apart.data() + (sample * 2 + target) * values);
          });
      EXPECT_LT(relative_difference(mine, rollout::tensor_of(expected.states).narrow(1, 1, 2)), bound)
          << name;
      if (members > 1) {
        EXPECT_LT(relative_difference(apart, rollout::tensor_of(expected.spread).narrow(1, 1, 2)), bound)
            << name;
      }
      for (std::size_t i = 0; i < 2; ++i) {
        const auto frames = trace.frames(i);
        for (std::size_t k = 1; k < 3; ++k) {
          EXPECT_EQ(frames[k].counts.evaluations, expected.frames[i][k].counts.evaluations) << name;
          EXPECT_EQ(frames[k].row_status.status, expected.frames[i][k].row_status.status) << name;
        }
      }
    }
  }
}

TEST_P(InDouble, StatesOfFloatAreRoundedAtTheEnd) {
  const auto both = pair();
  const auto conditions = both.conditions(2);
  const Tensor states = both.states(2).to(torch::kFloat);
  auto wide = values_of<double>(states.to(torch::kDouble));
  auto narrow = values_of<float>(states);
  const double dt[]{0.4, 0.7};
  step(*both.plain, wide.data(), 2, dt, conditions, 1);
  step(*both.plain, narrow.data(), 2, dt, conditions, 1);
  for (std::size_t i = 0; i < wide.size(); ++i) EXPECT_EQ(narrow[i], static_cast<float>(wide[i]));
  const auto rupture = nre(*both.plain, narrow.data(), 2, dt, conditions, 1);
  EXPECT_GT(rupture[0] + rupture[1], 0);
}

TEST_P(InDouble, ThreadsAndBatchMatesDoNotChangeTheBits) {
  const auto both = pair(2);
  const auto conditions = both.conditions(5);
  const auto start = values_of<double>(both.states(5));
  const std::vector<double> dt{0.2, 0.4, 0.3, 0.8, 0.5};
  const auto go = [&](int threads) {
    auto states = start;
    advance(*both.plain, states.data(), 5, dt, conditions, threads);
    return states;
  };
  const auto alone = go(1);
  std::vector<std::vector<double>> all(8);
  std::vector<std::thread> threads;
  for (auto& mine : all) threads.emplace_back([&] { mine = go(1); });
  for (auto& thread : threads) thread.join();
  all.push_back(go(3));
  for (const auto& mine : all) EXPECT_TRUE(mine == alone);
  std::vector<double> first(start.begin(), start.begin() + static_cast<std::ptrdiff_t>(both.plain->values()));
  Conditions own = conditions;
  if (!own.contexts.empty()) own.contexts.resize(1);
  advance(*both.plain, first.data(), 1, std::span(dt).first(1), own, 1);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), alone.begin()));
}

TEST(DoubleModels, GoToOtherGridsAndThroughC) {
  const Pair both(test::in_double(test::random_model(test::kinds[4])));
  const auto model = Surrogate::load(both.scratch.path("run")).on_grid(15, 9);
  const Tensor states = torch::randn({2, 2, 15, 9}, torch::kDouble);
  const auto solver = solvers::make("euler");
  const auto expected = rollout::forecast({rollout::on_tensors(both.tensors), *solver},
                                          rollout::array_of(states), {{0, 0.4}, {0, 0.4}});
  auto mine = values_of<double>(states);
  model.step<double>(mine, std::vector{0.4, 0.4});
  EXPECT_LT(relative_difference(mine, rollout::tensor_of(expected.states).select(1, 1)), last_digits);
  EXPECT_NEAR(both.plain->flops() / both.tensors.field->flops(), 1, 1e-9);
}

}  // namespace
}  // namespace cvf::runtime
