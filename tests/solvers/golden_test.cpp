// Against numbers and programs that others made: the golden file's dopri5 and NRE, and Boost.odeint.
#include "support/golden.hpp"

#include <gtest/gtest.h>

#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>

#include "support/flows.hpp"
#include "systems/equations.hpp"

namespace cvf::solvers {
namespace {

using torch::Tensor;

class GoldenSolvers : public test::GoldenFile {
 protected:
  Velocity velocity() const {
    return [this](const Tensor& state, const Tensor& dt) {
      return normalizer_->model_velocity(field_->forward(state, dt));
    };
  }
};

INSTANTIATE_TEST_SUITE_P(Of, GoldenSolvers, testing::Values("sit", "conv", "conv_gelu"),
                         [](const auto& name) { return std::string(name.param); });

TEST_P(GoldenSolvers, Dopri5TakesTheStepsOfTorchdiffeq) {
  const auto solution = integrate(*test::solver("dopri5", "norm=\"batch\""), velocity(),
                                  common_times(normalised("b.s0"), 0, {0.05, 1, 2}));
  const Tensor states = tensor("dp_x"), counts = tensor("dp_nfe");
  for (std::int64_t k = 0; k < 3; ++k) {
    EXPECT_LE(distance(solution.states.select(1, k), states[k]), 1e-9);
    for (const auto& target_records : solution.target_records) {
      EXPECT_EQ(target_records[static_cast<std::size_t>(k)].counts.evaluations,
                counts[k].item<std::int64_t>());
    }
  }
  std::cout << fmt::format("dopri5: {:.1e}\n", distance(solution.states.transpose(0, 1), states));
}

TEST_P(GoldenSolvers, GcsMeasuresTheSameRuptureError) {
  const Tensor dts = tensor("dts"), nre = tensor("nre"), start = normalised("b.s0");
  for (std::int64_t k = 0; k < dts.size(0); ++k) {
    const double dt = dts[k].item<double>();
    if (dt == 0) continue;  // no step
    const auto solution = integrate(*test::solver("gcs", fmt::format("delta_min={}", dt)), velocity(),
                                    common_times(start.narrow(0, k, 1), 0, {dt}), {.steps = true});
    EXPECT_NEAR(solution.steps[0].at(0).error / nre[k].item<double>(), 1, 1e-9);
    EXPECT_EQ(solution.counts[0].evaluations, 3);
  }
}

// ---- Boost.odeint

using State = std::vector<double>;

template <class Equation>
struct Theirs {
  State end;
  std::int64_t evaluations = 0;

  Theirs(const Equation& equation, State start, double until, double tolerance) : end(std::move(start)) {
    namespace odeint = boost::numeric::odeint;
    const auto slope = [&](const State& s, State& out, double) {
      ++evaluations;
      equation.slope(s.data(), out.data());
    };
    auto stepper = odeint::make_controlled(tolerance, tolerance, odeint::runge_kutta_dopri5<State>());
    odeint::integrate_adaptive(stepper, slope, end, 0.0, until, 1e-3);
  }
};

template <class Equation>
void compare(const Equation& equation, State start, double until) {
  const auto size = static_cast<std::int64_t>(start.size());
  const Tensor first = torch::tensor(start, torch::kDouble).view({1, size});
  const Theirs<Equation> truth(equation, start, until, 1e-13);
  const auto error = [&](const State& end) {
    double worst = 0;
    for (std::size_t i = 0; i < end.size(); ++i) worst = std::max(worst, std::abs(end[i] - truth.end[i]));
    return worst;
  };
  for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
    const Theirs<Equation> theirs(equation, start, until, tolerance);
    const auto solver =
        test::solver("dopri5", fmt::format("atol={0}\nrtol={0}\ndense=false\nmeasure=\"max\"", tolerance));
    const Solution ours = integrate(*solver, test::tangent_of(equation), common_times(first, 0, {until}));
    const double* end = ours.states.data_ptr<double>();
    const double our_error = error(State(end, end + size)), their_error = error(theirs.end);
    std::cout << fmt::format("{} {:.0e}: evaluations {} against {}, errors {:.1e} against {:.1e}\n",
                             Equation::name, tolerance, ours.counts[0].evaluations, theirs.evaluations,
                             our_error, their_error);
    const double share =
        static_cast<double>(ours.counts[0].evaluations) / static_cast<double>(theirs.evaluations);
    EXPECT_NEAR(share, 1, 0.1);
    EXPECT_LE(our_error, 3 * their_error);
  }
}

TEST(AgainstBoost, Dopri5OnLorenz) {
  compare(systems::Lorenz{}, {1, 2, 20}, 3);
}

TEST(AgainstBoost, Dopri5OnVanDerPol) {
  compare(systems::VanDerPol{}, {1, 1}, 20);
}

}  // namespace
}  // namespace cvf::solvers
