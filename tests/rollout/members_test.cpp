// A model of several members: each goes its own way, and the forecast is their mean with their spread.
#include "fields/members.hpp"

#include <gtest/gtest.h>

#include "rollout/protocols.hpp"
#include "rollout/tensors/model.hpp"
#include "support/flows.hpp"

namespace cvf::rollout {
namespace {

using torch::Tensor;

// Moves with a constant velocity, whatever the state and the step are.
struct Drift : fields::VelocityField {
  double velocity;
  explicit Drift(double v) : VelocityField({2, 0, 0, 1}), velocity(v) {
    register_parameter("unused", torch::zeros({1}, torch::kDouble));
  }
  using VelocityField::forward;
  Tensor forward(const fields::Query& query) override { return torch::full_like(query.state, velocity); }
  double flops() const override { return 1; }
};

// The longer the step, the faster: a step h has the NRE (h / 2) / (1 + h).
struct Bent : Drift {
  using Drift::Drift;
  Tensor forward(const fields::Query& query) override {
    return velocity * (1 + query.dt.view({-1, 1}).to(query.state.dtype())).expand_as(query.state);
  }
};

class Ensemble : public testing::Test {
 protected:
  Ensemble() {
    model_.normalizer = find(normalizers::registry(), "cascaded", "normalizer").make(2, {});
    std::vector<fields::FieldPointer> all;
    for (const double v : {1.0, 2.0, 6.0}) all.push_back(std::make_shared<Drift>(v));
    model_.field = std::make_shared<fields::Members>(all);
    model_.spec.state.set_names(Role::state, {"x", "y"});
    model_.spec.state.delta_min = 0.5;
    model_.spec.state.largest_dt = 1;
  }
  const Times times_{{0, 1, 2}, {0, 1, 2, 3}, {5, 6}};
  const Tensor start_ = torch::tensor({{0.0, 1.0}, {2.0, 3.0}, {4.0, 5.0}}, torch::kDouble);

  static void expect_mean_and_spread(const Forecast& forecast, const Times& times, const Tensor& start) {
    const double spread = std::sqrt((4.0 + 1.0 + 9.0) / 2);  // of 1, 2 and 6 about 3
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto row = static_cast<std::int64_t>(i);
      for (std::size_t k = 0; k < times[i].size(); ++k) {
        const auto frame = static_cast<std::int64_t>(k);
        const double t = times[i][k] - times[i][0];
        EXPECT_TRUE(torch::allclose(tensor_of(forecast.states)[row][frame], start[row] + 3 * t));
        EXPECT_NEAR(tensor_of(forecast.spread)[row][frame][0].item<double>(), spread * t, 1e-6);
        for (std::size_t m = 0; m < 3; ++m)
          EXPECT_TRUE(torch::allclose(tensor_of(forecast.members[m].states)[row][frame],
                                      start[row] + std::vector{1.0, 2.0, 6.0}[m] * t));
      }
    }
  }

  model::TrainedModel model_;
};

TEST_F(Ensemble, EveryProtocolGivesMeanAndSpread) {
  for (const std::string name : {"euler", "gcs", "dopri5"}) {
    SCOPED_TRACE(name);
    const auto solver = test::solver(name, "", context_of(facts_of(model_)));
    const rollout::Setup setup{on_tensors(model_), *solver};
    expect_mean_and_spread(time_informed(setup, array_of(start_), times_), times_, start_);
    expect_mean_and_spread(direct(setup, array_of(start_), times_), times_, start_);
    expect_mean_and_spread(forecast(setup, array_of(start_), times_), times_, start_);
  }
}

TEST_F(Ensemble, CountsWhatAllMembersCost) {
  const auto solver = test::solver("euler", "", context_of(facts_of(model_)));
  const auto three = time_informed({on_tensors(model_), *solver}, array_of(start_), times_);
  model::TrainedModel one = model_;
  one.field = std::make_shared<Drift>(1);
  const auto alone = time_informed({on_tensors(one), *solver}, array_of(start_), times_);
  EXPECT_FALSE(alone.spread.defined());
  for (std::size_t k = 1; k < times_[1].size(); ++k)
    EXPECT_EQ(three.frames[1][k].counts.evaluations, 3 * alone.frames[1][k].counts.evaluations);
  EXPECT_EQ(three.members[2].frames[1][1].counts.evaluations, alone.frames[1][1].counts.evaluations);
}

TEST_F(Ensemble, StepsThatNobodyJudgedAreJudgedAfterwards) {
  std::vector<fields::FieldPointer> all;
  for (const double v : {1.0, 2.0, 6.0}) all.push_back(std::make_shared<Bent>(v));
  model_.field = std::make_shared<fields::Members>(all);
  const auto solver = test::solver("euler", "", context_of(facts_of(model_)));
  const Times times{{0, 0.25, 1.5}, {0, 1, 2, 3}, {5, 6}};
  for (const std::size_t memory : {std::size_t{1}, std::size_t{1} << 20}) {
    const rollout::Setup setup{on_tensors(model_), *solver, memory};
    for (const bool frame_by_frame : {false, true}) {
      const auto start = array_of(start_);
      auto done = frame_by_frame ? time_informed(setup, start, times) : forecast(setup, start, times);
      std::int64_t steps = 0;
      const auto expect_judged = [&](const std::vector<std::vector<Frame>>& samples, bool judged) {
        for (const auto& frames : samples) {
          for (const auto& frame : frames) {
            for (const auto& step : frame.steps) {
              ++steps;
              EXPECT_EQ(std::isnan(step.error), !judged);
              if (judged) {
                EXPECT_NEAR(step.error, step.step / 2 / (1 + step.step), 1e-7);
              }
            }
          }
        }
      };
      for (const auto& member : done.members) expect_judged(member.frames, false);
      const auto taken = std::exchange(steps, 0);
      EXPECT_EQ(judge_steps(setup, start, times, done), 3 * taken);
      for (const auto& member : done.members) expect_judged(member.frames, true);
      expect_judged(done.frames, true);
      EXPECT_EQ(judge_steps(setup, start, times, done), 0) << "once is enough";
    }
  }
  const auto rk4 = test::solver("rk4", "", context_of(facts_of(model_)));
  const rollout::Setup along_tangents{on_tensors(model_), *rk4};
  auto done = forecast(along_tangents, array_of(start_), times);
  EXPECT_EQ(judge_steps(along_tangents, array_of(start_), times, done), 0);
}

// Whatever fits into memory together: members of a sample may even be solved one by one.
TEST_F(Ensemble, HandsOverAFrameWhenTheLastMemberIsThere) {
  const auto solver = test::solver("gcs", "", context_of(facts_of(model_)));
  for (const std::size_t memory : {std::size_t{1}, std::size_t{5000}, std::size_t{1} << 20}) {
    const rollout::Setup setup{on_tensors(model_), *solver, memory};
    const auto kept = forecast(setup, array_of(start_), times_);
    std::size_t seen = 0;
    const auto done = forecast(
        setup, array_of(start_), times_,
        [&](std::size_t sample, std::size_t frame, const StateArray& state, const StateArray& spread) {
          ++seen;
          const auto at = [&](const StateArray& all) {
            return tensor_of(all)[static_cast<std::int64_t>(sample)][static_cast<std::int64_t>(frame)];
          };
          EXPECT_TRUE(torch::equal(tensor_of(state), at(kept.states)));
          EXPECT_TRUE(torch::equal(tensor_of(spread), at(kept.spread)));
        });
    EXPECT_EQ(seen, 9U);
    EXPECT_EQ(done.frames[1][3].counts.evaluations, kept.frames[1][3].counts.evaluations);
  }
}

TEST_F(Ensemble, OneThatStopsStopsTheMean) {
  std::vector<fields::FieldPointer> all{std::make_shared<Drift>(1), std::make_shared<Drift>(NAN)};
  model_.field = std::make_shared<fields::Members>(all);
  const auto solver = test::solver("euler", "", context_of(facts_of(model_)));
  const auto forecast = time_informed({on_tensors(model_), *solver}, array_of(start_), times_);
  EXPECT_EQ(forecast.frames[0][1].row_status.status, solvers::Status::non_finite);
  EXPECT_TRUE(torch::isnan(tensor_of(forecast.states)[0][1]).all().item<bool>());
  EXPECT_TRUE(torch::isfinite(tensor_of(forecast.members[0].states)[0][2]).all().item<bool>());
}

// psi(s, h) = s: a step multiplies by 1 + h, two halves by (1 + h/2)^2.
struct Growth : fields::VelocityField {
  Growth() : VelocityField({2, 0, 0, 1}) { register_parameter("unused", torch::zeros({1}, torch::kDouble)); }
  using VelocityField::forward;
  Tensor forward(const fields::Query& query) override { return query.state.clone(); }
  double flops() const override { return 1; }
};

TEST_F(Ensemble, HalfStepsGoTheSameWayInTwiceAsManySteps) {
  model_.field = std::make_shared<Growth>();
  const auto solver = test::solver("euler", "h = 0.5", context_of(facts_of(model_)));
  for (const std::size_t memory : {std::size_t{1}, std::size_t{1} << 20}) {
    const rollout::Setup setup{on_tensors(model_), *solver, memory};
    const auto whole = time_informed(setup, array_of(start_), times_);
    const auto halves = with_half_steps(setup, array_of(start_), times_, whole);
    ASSERT_EQ(tensor_of(halves.states).sizes(), tensor_of(whole.states).sizes());
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const auto row = static_cast<std::int64_t>(i);
      const auto last = static_cast<std::int64_t>(times_[i].size()) - 1;
      const double steps = 2 * static_cast<double>(last);
      EXPECT_TRUE(torch::allclose(tensor_of(whole.states)[row][last], start_[row] * std::pow(1.5, steps)));
      EXPECT_TRUE(
          torch::allclose(tensor_of(halves.states)[row][last], start_[row] * std::pow(1.25, 2 * steps)));
    }
  }
}

}  // namespace
}  // namespace cvf::rollout
