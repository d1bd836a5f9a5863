// Time-informed, direct, teacher-forced and free forecasts of a model whose truth is known, and what they
// cost.
#include "rollout/protocols.hpp"

#include <gtest/gtest.h>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/registry.hpp"
#include "rollout/tensors/model.hpp"
#include "support/flows.hpp"
#include "support/scratch.hpp"

namespace cvf::rollout {
namespace {

using testing_support::sentence_of;
using torch::Tensor;

// z' = rate z in physical units, behind a normalizer with one deviation for both components (so that the
// normalised system is linear with an offset): psi is exact for every dt.
struct ExactField : fields::VelocityField {
  test::Spiral flow;
  const normalizers::Normalizer& normalizer;
  mutable std::int64_t asked = 0, most_rows = 0;
  std::function<void()> at_first_evaluation;
  double cost = 0;
  bool blind = false;  // shows itself no step, as a tangent field does

  explicit ExactField(const normalizers::Normalizer& n) : VelocityField({2, 0, 0, 1}), normalizer(n) {}
  using VelocityField::forward;
  Tensor forward(const fields::Query& query) override {
    const Tensor &state = query.state, dt = blind ? torch::zeros_like(query.dt) : query.dt;
    if (asked == 0 && at_first_evaluation) std::exchange(at_first_evaluation, {})();
    asked += state.size(0);
    most_rows = cost > 0 ? std::max(most_rows, state.size(0)) : 0;
    const Tensor physical = normalizer.to_physical({state}).value.contiguous();
    return normalizer.target({test::secant_of(flow)(physical, dt)});
  }
  double flops() const override { return cost; }
};

class Protocols : public testing::Test {
 protected:
  Protocols() {
    model_.normalizer = find(normalizers::registry(), "cascaded", "normalizer").make(2, {});
    const auto two = [](double a, double b) { return torch::tensor({a, b}, torch::kDouble); };
    model_.normalizer->load({{"state_mean", two(0.3, -0.1)},
                             {"state_variance", two(2, 3)},
                             {"velocity_mean", two(0.2, 0.4)},
                             {"velocity_variance", two(1.5, 0.7)}});
    field_ = std::make_shared<ExactField>(*model_.normalizer);
    model_.field = field_;
    model_.spec.state.set_names(Role::state, {"x", "y"});
    model_.spec.state.delta_min = 0.05;
    model_.spec.state.largest_dt = 0.1;
  }

  rollout::Setup setup(const solvers::Solver& solver) const { return {on_tensors(model_), solver}; }
  std::unique_ptr<solvers::Solver> solver(const std::string& name, const std::string& toml = "") const {
    return test::solver(name, toml, context_of(facts_of(model_)));
  }
  Tensor truth(std::int64_t sample, double dt) const {
    return test::after(field_->flow, start_.narrow(0, sample, 1), dt)[0];
  }
  void expect_true(const Forecast& forecast, double tolerance = 1e-11) const {
    for (std::size_t i = 0; i < times_.size(); ++i) {
      for (std::size_t k = 0; k < times_[i].size(); ++k) {
        const auto row = static_cast<std::int64_t>(i);
        EXPECT_LT(test::difference(tensor_of(forecast.states)[row][static_cast<std::int64_t>(k)],
                                   truth(row, times_[i][k] - times_[i][0])),
                  tolerance);
      }
    }
  }

  model::TrainedModel model_;
  std::shared_ptr<ExactField> field_;
  Tensor start_ = test::some_states(3);
  Times times_{{0, 0.05, 0.1, 0.15}, {1, 1.05, 1.2}, {0, 0.02, 0.12, 0.2, 1}};
};

TEST_F(Protocols, TimeInformedWithAnExactFieldIsTheTruth) {
  const auto gcs = solver("gcs");
  const auto forecast = time_informed(setup(*gcs), array_of(start_), times_);
  expect_true(forecast);
  EXPECT_EQ(tensor_of(forecast.states).size(1), 5);
  EXPECT_TRUE(tensor_of(forecast.states)[1][3].isnan().all().item<bool>()) << "it has no such frame";
  EXPECT_EQ(forecast.frames[0][0].counts.evaluations, 0);
  EXPECT_EQ(forecast.frames[0][1].counts.evaluations, 3) << "an interval of delta_min is probed";
  EXPECT_EQ(forecast.frames[2][1].counts.evaluations, 1) << "a shorter one is not";
  EXPECT_EQ(forecast.frames[1][2].counts.evaluations, 6) << "0.15 in 0.1 and 0.05";
  EXPECT_EQ(forecast.frames[2][4].counts.evaluations, 24)
      << "0.8 in eight steps of the longest training step";
  EXPECT_EQ(forecast.frames[2][4].steps.size(), 8U);
  EXPECT_LT(forecast.frames[2][4].steps[3].error, 1e-10);
}

TEST_F(Protocols, StepsAreNoLongerThanThoseThatTrainingSawOften) {
  model_.spec.state.largest_dt = 0.8;
  for (const auto& [usual, steps] : {std::pair{0.0, 1U}, {0.2, 4U}}) {
    model_.spec.state.usual_dt = usual;
    for (const auto* name : {"gcs", "euler"}) {
      const auto forecast = time_informed(setup(*solver(name)), array_of(start_), times_);
      EXPECT_EQ(forecast.frames[2][4].steps.size(), steps) << name << " over 0.8, usual_dt = " << usual;
    }
  }
}

TEST_F(Protocols, DirectSolvesEveryTargetFromTheStart) {
  const auto gcs = solver("gcs", "max_step=0");
  const auto forecast = direct(setup(*gcs), array_of(start_), times_);
  expect_true(forecast);
  for (std::size_t k = 1; k < 4; ++k) EXPECT_EQ(forecast.frames[0][k].counts.evaluations, 3);
  EXPECT_DOUBLE_EQ(forecast.frames[2][4].steps.at(0).step, 1) << "the whole horizon in one step";
}

TEST_F(Protocols, DirectNeedsOnePassWhereStepsDoNotDependOnTheTargets) {
  const auto dopri5 = solver("dopri5", "atol=1e-9\nrtol=1e-9");
  field_->asked = 0;
  const auto forecast = direct(setup(*dopri5), array_of(start_), times_);
  expect_true(forecast, 1e-6);
  std::int64_t last = 0;
  for (const auto& frames : forecast.frames) last += frames.back().counts.evaluations;
  EXPECT_EQ(field_->asked, last) << "evaluations from t_0 to the last target, once";
  EXPECT_GE(forecast.frames[2][4].counts.evaluations, forecast.frames[2][3].counts.evaluations);
  // The same counts as a solve of its own for that target.
  const auto alone = direct(setup(*dopri5), array_of(start_.narrow(0, 2, 1)), {{0, 0.12}});
  EXPECT_EQ(alone.frames[0][1].counts.evaluations, forecast.frames[2][2].counts.evaluations);
  EXPECT_EQ(alone.frames[0][1].steps.size(), forecast.frames[2][2].steps.size());
}

TEST_F(Protocols, TimeInformedStartsTheSolverAnewInEveryInterval) {
  const auto dopri5 = solver("dopri5");
  const auto forecast = time_informed(setup(*dopri5), array_of(start_), times_);
  for (std::size_t k = 1; k < 4; ++k) {
    const auto evaluations = forecast.frames[0][k].counts.evaluations;
    EXPECT_GE(evaluations, 8);
    EXPECT_EQ((evaluations - 2) % 6, 0);
  }
}

TEST_F(Protocols, BatchNormFollowsCommonTimes) {
  const auto shared = solver("dopri5", "norm=\"batch\"");
  const Times common(3, {0, 0.05, 0.1});
  const auto forecast = time_informed(setup(*shared), array_of(start_), common);
  EXPECT_EQ(forecast.frames[0][1].counts.evaluations, forecast.frames[2][1].counts.evaluations);
  EXPECT_THROW(time_informed(setup(*shared), array_of(start_), times_), UsageError);
}

TEST_F(Protocols, OneStepStartsFromTrueFrames) {
  Tensor states = torch::full({3, 5, 2}, NAN, torch::kDouble);
  for (std::size_t i = 0; i < times_.size(); ++i) {
    for (std::size_t k = 0; k < 5; ++k) {
      const double t = times_[i][std::min(k, times_[i].size() - 1)];
      states[static_cast<std::int64_t>(i)][static_cast<std::int64_t>(k)] =
          truth(static_cast<std::int64_t>(i), t - times_[i][0]) + (k == 1 ? 7.0 : 0.0);  // a false frame 1
    }
  }
  const auto gcs = solver("gcs");
  const auto forecast = one_step(setup(*gcs), array_of(states, 2), times_);
  EXPECT_LT(test::difference(tensor_of(forecast.states)[0][1], truth(0, 0.05)), 1e-12);
  EXPECT_GT(test::difference(tensor_of(forecast.states)[0][2], truth(0, 0.1)), 1) << "from the false frame 1";
  EXPECT_LT(test::difference(tensor_of(forecast.states)[0][3], truth(0, 0.15)), 1e-12);
}

TEST_F(Protocols, ForecastsStreamTheirFramesAndAgreeWithThoseKept) {
  const auto gcs = solver("gcs");
  const auto kept = forecast(setup(*gcs), array_of(start_), times_);
  expect_true(kept);
  std::size_t seen = 0;
  const auto streamed = forecast(
      setup(*gcs), array_of(start_), times_,
      [&](std::size_t sample, std::size_t frame, const StateArray& state, const StateArray& spread) {
        EXPECT_FALSE(spread.defined());
        ++seen;
        EXPECT_EQ(
            test::difference(
                tensor_of(state),
                tensor_of(kept.states)[static_cast<std::int64_t>(sample)][static_cast<std::int64_t>(frame)]),
            0);
      });
  EXPECT_EQ(seen, 4U + 3U + 5U);
  EXPECT_FALSE(streamed.states.defined());
  EXPECT_EQ(streamed.frames[2][4].counts.evaluations, 24);
  EXPECT_EQ(streamed.frames[2][4].steps.size(), 8U);
}

TEST_F(Protocols, AFewRowsAtATimeGiveTheSame) {
  const auto gcs = solver("gcs");
  rollout::Setup small = setup(*gcs);
  small.memory = 1;
  EXPECT_EQ(micro_batch_rows(small, *array_of(start_).rows), 1U);
  const auto one = direct(small, array_of(start_), times_),
             all = direct(setup(*gcs), array_of(start_), times_);
  EXPECT_TRUE(torch::allclose(tensor_of(one.states), tensor_of(all.states), 1e-12, 1e-12, true));
  EXPECT_GT(micro_batch_rows(setup(*gcs), *array_of(start_).rows), 200U);
}

TEST_F(Protocols, ABlindFieldIsShownNoStep) {
  const auto euler = solver("euler");
  field_->blind = true;
  const auto forecast = time_informed(setup(*euler), array_of(start_), times_);
  std::vector<double> slope(2);
  field_->flow.slope(start_.data_ptr<double>(), slope.data());
  const Tensor expected = start_[0] + 0.05 * torch::tensor(slope, torch::kDouble);
  EXPECT_LT(test::difference(tensor_of(forecast.states)[0][1], expected), 1e-12);
}

TEST_F(Protocols, WhatDivergesSaysSoInEveryLaterFrame) {
  field_->flow.rate = {900, 0};
  const auto gcs = solver("gcs");
  const auto forecast = time_informed(setup(*gcs), array_of(start_), times_);
  EXPECT_EQ(forecast.frames[2][4].row_status.status, solvers::Status::non_finite);
  EXPECT_TRUE(tensor_of(forecast.states)[2][4].isnan().all().item<bool>());
}

template <class Refusal, class Work>
std::string refusal(Work&& work) {
  try {
    work();
  } catch (const Refusal& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST_F(Protocols, RefuseWhatDoesNotFitWithASentence) {
  const auto gcs = solver("gcs");
  const auto run = [&](const Tensor& start, const Times& times) {
    time_informed(setup(*gcs), array_of(start), times);
  };
  EXPECT_EQ(refusal<ModelError>([&] {
              run(torch::zeros({3, 4}, torch::kDouble), times_);
            }),
            "the model takes states of 2 (channels, rows, columns), not of 4");
  EXPECT_EQ(refusal<DataError>([&] {
              run(start_, {{0, 1}, {0, 2, 1}, {0}});
            }),
            "sample 1: target time 1 comes after 2; targets must increase");
  Tensor bad = start_.clone();
  bad[2][0] = NAN;
  EXPECT_EQ(refusal<DataError>([&] { run(bad, times_); }), "sample 2: its initial state is not finite");
  EXPECT_EQ(refusal<UsageError>([&] { run(start_, {{0, 1}}); }), "3 states have 1 lists of times");
}

TEST_F(Protocols, ASignalEndsASolveInItsMiddle) {
  const auto gcs = solver("gcs");
  rollout::Setup hearing = setup(*gcs);
  hearing.kept = "nothing was written";
  const auto asked_until_the_end = [&](const rollout::Setup& with) {
    field_->asked = 0;
    forecast(with, array_of(start_), times_);
    return field_->asked;
  };
  const auto whole = asked_until_the_end(hearing);
  for (const auto& run :
       std::vector<std::function<void()>>{[&] { forecast(hearing, array_of(start_), times_); },
                                          [&] { time_informed(hearing, array_of(start_), times_); },
                                          [&] { direct(hearing, array_of(start_), times_); }}) {
    field_->asked = 0;
    field_->at_first_evaluation = interrupt::request;
    EXPECT_EQ(sentence_of<Interrupted>(run), "interrupted; nothing was written");
    EXPECT_LT(field_->asked, whole) << "it did not go on to the end";
    interrupt::clear();
  }
  field_->at_first_evaluation = interrupt::request;
  EXPECT_EQ(asked_until_the_end(setup(*gcs)), whole) << "a run's validation ends in its own time";
  interrupt::clear();
}

TEST_F(Protocols, LargeEvaluationsAreCutIntoPortionsWithTheSameAnswer) {
  const auto euler = solver("euler");
  rollout::Setup hearing = setup(*euler);
  const auto together = forecast(hearing, array_of(start_), times_);
  hearing.kept = "nothing was written";
  field_->cost = 2e10;  // two rows in a portion
  const auto portions = forecast(hearing, array_of(start_), times_);
  EXPECT_EQ(field_->most_rows, 2);
  EXPECT_TRUE(tensor_of(portions.states).nan_to_num().equal(tensor_of(together.states).nan_to_num()));
}

}  // namespace
}  // namespace cvf::rollout
