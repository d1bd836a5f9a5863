// Every solver on systems with a closed form: orders of accuracy, both directions, targets met exactly.
#include <gtest/gtest.h>

#include <map>

#include "support/flows.hpp"

namespace cvf::solvers {
namespace {

using test::after;
using test::Circle;
using test::difference;
using test::Spiral;
using torch::Tensor;

// How to make a solver take steps of h, whatever the error.
std::string with_step(std::string_view name, double h) {
  const std::map<std::string_view, std::string> forms{
      {"euler", "h={}"},
      {"rk4", "h={}"},
      {"dopri5", "first_step={}\natol=1e9\ngrow=1\ndense=false"},
      {"tsit5", "first_step={}\natol=1e9\ngrow=1\ndense=false"},
      {"gcs", "delta_min={0}\nmax_step={0}"}};
  const auto found = forms.find(name);
  if (found == forms.end()) ADD_FAILURE() << "say here how " << name << " takes steps of h";
  return fmt::format(fmt::runtime(found->second), h);
}

template <class Flow>
double error_with(std::string_view name, const Flow& flow, double h, bool backward = false) {
  const Tensor start = 0.6 * test::some_states(5);  // inside the circle, where the pull is gentle
  Problem problem = common_times(start, 1, {backward ? 0.0 : 2.0});
  problem.backward = backward;
  const auto solution = integrate(*test::solver(name, with_step(name, h)), test::tangent_of(flow), problem);
  torch::manual_seed(0);  // the same states for the next step size
  return difference(solution.states.select(1, 0), after(flow, start, backward ? -1 : 1));
}

double order_of(double coarse, double fine) {
  return std::log2(coarse / fine);
}

TEST(Orders, AreThoseThatTheRegistryClaims) {
  for (const auto& entry : registry()) {
    const double h = entry.order == 1 ? 1.0 / 128 : 1.0 / 32;
    torch::manual_seed(0);
    const double linear =
        order_of(error_with(entry.name, Spiral{}, h), error_with(entry.name, Spiral{}, h / 2));
    const double circle =
        order_of(error_with(entry.name, Circle{}, h), error_with(entry.name, Circle{}, h / 2));
    const double back =
        order_of(error_with(entry.name, Spiral{}, h, true), error_with(entry.name, Spiral{}, h / 2, true));
    EXPECT_NEAR(linear, entry.order, 0.35) << entry.name;
    EXPECT_NEAR(back, entry.order, 0.35) << entry.name;
    EXPECT_GT(circle, entry.order - 0.35)
        << entry.name;  // a pair may do better where all winds onto one circle
    std::cout << fmt::format("{:7} order {}: linear {:.2f}, circle {:.2f}, backward {:.2f}\n", entry.name,
                             entry.order, linear, circle, back);
  }
}

TEST(Orders, OfDenseOutputIsAtLeastFour) {
  for (const auto* name : {"dopri5", "tsit5"}) {
    const Tensor start = test::some_states(3);
    const auto error = [&](double h) {
      const auto solver = test::solver(name, fmt::format("first_step={}\natol=1e9\ngrow=1", h));
      const auto solution =
          integrate(*solver, test::tangent_of(Circle{}), common_times(start, 0, {0.333, 0.711, 0.987}));
      return std::max(difference(solution.states.select(1, 0), after(Circle{}, start, 0.333)),
                      difference(solution.states.select(1, 1), after(Circle{}, start, 0.711)));
    };
    EXPECT_GT(order_of(error(1.0 / 8), error(1.0 / 16)), 3.6) << name;
    EXPECT_LT(error(1.0 / 64), 1e-8) << name;
  }
}

TEST(Adaptive, SolversAreAsAccurateAsTheirTolerance) {
  for (const auto* name : {"dopri5", "tsit5"}) {
    for (const double tolerance : {1e-5, 1e-8}) {
      for (const bool dense : {false, true}) {
        const Tensor start = test::some_states(4);
        const auto solver = test::solver(
            name, fmt::format("atol={0}\nrtol={0}\ndense={1}", tolerance, dense ? "true" : "false"));
        const auto solution =
            integrate(*solver, test::tangent_of(Spiral{}), common_times(start, 0, {0.7, 3}));
        EXPECT_LT(difference(solution.states.select(1, 1), after(Spiral{}, start, 3)), 20 * tolerance);
        EXPECT_EQ((solution.counts[0].evaluations - 2) % 6, 0) << "2 + 6n evaluations";
      }
    }
  }
}

TEST(Euler, IsExactOnAnExactSecantField) {
  const Tensor start = test::some_states(4);
  const auto solution =
      integrate(*make("euler"), test::secant_of(Circle{}), common_times(start, 0, {0.5, 2.5}));
  EXPECT_LT(difference(solution.states.select(1, 1), after(Circle{}, start, 2.5)), 1e-13);
  EXPECT_EQ(solution.counts[0].evaluations, 2);
}

TEST(Euler, DividesAnIntervalThatIsLongerThanTheTrainingStep) {
  const auto solver = test::solver("euler", "dense=false", {.delta_min = 0.1, .largest_step = 0.25});
  const auto solution = integrate(*solver, test::secant_of(Spiral{}),
                                  common_times(test::some_states(1), 0, {0.25, 0.85}), {.steps = true});
  ASSERT_EQ(solution.steps[0].size(), 4U);  // 0.25, then 0.6 in three
  EXPECT_DOUBLE_EQ(solution.steps[0][2].step, 0.2);
}

// A neural ODE with four steps an interval of training takes four over each such interval of a long way, too.
TEST(RungeKutta, TakesItsStepsOverEachPartOfALongWay) {
  const auto solver = test::solver("rk4", "steps=4", {.delta_min = 0.1, .largest_step = 0.4});
  const auto solution = integrate(*solver, test::secant_of(Spiral{}),
                                  common_times(test::some_states(1), 0, {0.1, 1.3}), {.steps = true});
  ASSERT_EQ(solution.steps[0].size(), 16U);  // 0.1 in four, then 1.2 in three times four
  EXPECT_DOUBLE_EQ(solution.steps[0][2].step, 0.025);
  EXPECT_DOUBLE_EQ(solution.steps[0][10].step, 0.1);
}

// The final time is a state of its own: no step of rounding's size, no endless loop.
TEST(Targets, AreMetExactlyWhateverTheSteps) {
  const std::map<std::string_view, std::string> steps{{"euler", "h=0.1"},
                                                      {"rk4", "h=0.1"},
                                                      {"dopri5", "first_step=0.1\ngrow=1\ndense=false"},
                                                      {"tsit5", "first_step=0.1\ngrow=1\ndense=false"},
                                                      {"gcs", "delta_min=0.1\nmax_step=0.1"}};
  for (const auto& [name, toml] : steps) {
    const auto solution =
        integrate(*test::solver(name, toml), test::secant_of(Spiral{}),
                  common_times(test::some_states(2), 0, {0.3, 1.0, 1e3 / 3}), {.steps = true});
    const auto& all = solution.steps[0];
    EXPECT_NEAR(static_cast<double>(all.size()), 3334, 1) << name;
    EXPECT_DOUBLE_EQ(all.back().time + all.back().step, 1e3 / 3) << name;
    EXPECT_EQ(solution.statuses[0].status, Status::done) << name;
    for (std::size_t i = 0; i + 1 < all.size(); ++i) EXPECT_GT(all[i].step, 0.0999) << name;
  }
}

}  // namespace
}  // namespace cvf::solvers
