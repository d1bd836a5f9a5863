// Models of several members in libcvf: the mean and the spread that the protocols give, each member on its
// own way.
#include <thread>

#include "cvf/cvf.h"
#include "cvf/cvf.hpp"
#include "rollout/runtime_model.hpp"
#include "runtime/models.hpp"

namespace cvf::runtime {
namespace {

using test::Pair;
using test::relative_difference;
using test::values_of;
using torch::Tensor;

constexpr double members_round_off = 1e-6;

struct MeanWent {
  std::vector<double> states, spread;
  Trace trace;
};

MeanWent forecast_of(const Pair& pair, const Tensor& states, const std::vector<double>& times,
                     const Conditions& conditions, int threads = 1) {
  const auto rows = static_cast<std::size_t>(states.size(0));
  const std::size_t values = pair.plain->values(), count = times.size();
  const auto given = values_of<double>(states);
  MeanWent out{
      std::vector<double>(rows * count * values, NAN), std::vector<double>(rows * count * values, NAN), {}};
  out.trace = forecast<double>(
      *pair.plain, given.data(), rows, {times}, conditions, threads,
      [&](std::size_t sample, std::size_t target, const double* state, const double* spread) {
        const std::size_t place = (sample * count + target) * values;
        std::copy_n(state, values, out.states.data() + place);
        if (spread != nullptr) std::copy_n(spread, values, out.spread.data() + place);
      });
  return out;
}

class Members : public testing::TestWithParam<test::Kind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, Members, testing::ValuesIn(test::kinds),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(Members, ForecastAsTheProtocolsDo) {
  for (const std::string name : {"euler", "gcs"}) {
    SCOPED_TRACE(name);
    const Pair pair(GetParam(), {"solver.name=" + name}, 3);
    ASSERT_EQ(pair.plain->members(), 3U);
    const auto conditions = pair.conditions(2);
    const Tensor states = pair.states(2);
    const std::vector<double> times{0.4, 0.9, 1.3};
    const auto model = rollout::on_runtime(Model::load(pair.scratch.path("run")));
    const auto expected =
        rollout::forecast({model, pair.plain->solver()}, rollout::array_of(states),
                          {{0, 0.4, 0.9, 1.3}, {0, 0.4, 0.9, 1.3}}, {}, conditions.contexts);
    const auto went = forecast_of(pair, states, times, conditions);
    EXPECT_LT(relative_difference(went.states, rollout::tensor_of(expected.states).narrow(1, 1, 3)),
              members_round_off);
    EXPECT_LT(relative_difference(went.spread, rollout::tensor_of(expected.spread).narrow(1, 1, 3)),
              members_round_off);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto frames = went.trace.frames(i);
      for (std::size_t k = 1; k < 4; ++k) {
        EXPECT_EQ(frames[k].counts.evaluations, expected.frames[i][k].counts.evaluations);
        EXPECT_EQ(frames[k].counts.rejected, expected.frames[i][k].counts.rejected);
        EXPECT_EQ(frames[k].row_status.status, expected.frames[i][k].row_status.status);
        EXPECT_EQ(frames[k].steps.size(), expected.frames[i][k].steps.size());
        EXPECT_EQ(went.trace.frames(i, 2)[k].counts.evaluations,
                  expected.members[2].frames[i][k].counts.evaluations);
      }
    }
    auto moved = values_of<double>(states);
    const double dt[]{0.4, 0.4};
    advance(*pair.plain, moved.data(), 2, dt, conditions, 1);
    const auto alone = rollout::forecast({model, pair.plain->solver()}, rollout::array_of(states),
                                         {{0, 0.4}, {0, 0.4}}, {}, conditions.contexts);
    EXPECT_LT(relative_difference(moved, rollout::tensor_of(alone.states).select(1, 1)), members_round_off);
  }
}

TEST_P(Members, AndOneAloneDoubtTheirStepsAsTheProtocolsDo) {
  for (const int members : {1, 3}) {
    SCOPED_TRACE(members);
    Pair pair(GetParam(), {}, members);
    test::calibrate(*pair.plain, metrics::Signal::step_doubling);
    pair.plain = std::make_unique<Model>(Model::load(pair.scratch.path("run")));
    const auto conditions = pair.conditions(2);
    const Tensor states = pair.states(2);
    const rollout::Times times(2, {0, 0.4, 0.9, 1.3});
    const auto model = rollout::on_runtime(Model::load(pair.scratch.path("run")));
    const rollout::Setup setup{model, pair.plain->solver()};
    const auto done = rollout::forecast(setup, rollout::array_of(states), times, {}, conditions.contexts);
    const Tensor halves = rollout::tensor_of(
        rollout::with_half_steps(setup, rollout::array_of(states), times, done, conditions.contexts).states);
    const Tensor whole = rollout::tensor_of(done.states), apart = whole - halves;
    const auto went = forecast_of(pair, states, {0.4, 0.9, 1.3}, conditions);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto doubts = went.trace.doubts(metrics::Signal::step_doubling, i);
      ASSERT_EQ(doubts.size(), 4U);
      EXPECT_EQ(doubts[0], 0);
      for (std::size_t k = 1; k < 4; ++k) {
        const auto values = values_of<double>(
            apart[static_cast<std::int64_t>(i)][static_cast<std::int64_t>(k)].to(torch::kDouble));
        std::vector<double> scales(values.size());
        metrics::value_scales<double>(values, pair.plain->cells(), scales.data());
        EXPECT_NEAR(doubts[k], metrics::frame_score<double>(scales), 1e-5 * whole.abs().max().item<double>());
        EXPECT_GT(doubts[k], 1e-4) << "the ways differ";
      }
    }
    EXPECT_EQ(went.trace.doubts(metrics::Signal::step_doubling, 1).back(),
              went.trace.doubling->get()[1].back());
  }
}

// Each member by itself is a model of one.
TEST_P(Members, StepToTheMeanOfModelsOfOne) {
  const Pair pair(GetParam(), {}, 3);
  const auto conditions = pair.conditions(2);
  const auto states = values_of<double>(pair.states(2));
  const double dt[]{0.3, 0.7};
  std::vector<double> mean(states.size(), 0), rupture(2, 0);
  for (std::int64_t m = 0; m < 3; ++m) {
    auto one = test::random_model(GetParam());
    const torch::NoGradGuard no_gradients;
    const auto own = pair.tensors.field->member(m).parameters(), to = one.field->parameters();
    for (std::size_t i = 0; i < own.size(); ++i) to[i].copy_(own[i]);
    one.normalizer = pair.tensors.normalizer;
    testing_support::Scratch scratch;
    model::save(one, scratch.path("one"));
    const auto alone = Model::load(scratch.path("one"));
    auto moved = states;
    step(alone, moved.data(), 2, dt, conditions, 1);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += moved[i] / 3;
    const auto own_rupture = nre(alone, states.data(), 2, dt, conditions, 1);
    for (std::size_t i = 0; i < 2; ++i) rupture[i] += own_rupture[i] / 3;
  }
  auto mine = states;
  step(*pair.plain, mine.data(), 2, dt, conditions, 1);
  for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_NEAR(mine[i], mean[i], 1e-6 * (1 + std::abs(mean[i])));
  const auto ours = nre(*pair.plain, states.data(), 2, dt, conditions, 1);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(ours[i], rupture[i], 1e-6);
}

TEST_P(Members, GiveTheSameBitsToEightThreads) {
  const Pair pair(GetParam(), {}, 3);
  const auto conditions = pair.conditions(3);
  const Tensor states = pair.states(3);
  const std::vector<double> times{0.5, 0.8};
  const auto alone = forecast_of(pair, states, times, conditions);
  std::vector<MeanWent> all(8);
  std::vector<std::thread> threads;
  for (auto& mine : all) threads.emplace_back([&] { mine = forecast_of(pair, states, times, conditions); });
  for (auto& thread : threads) thread.join();
  all.push_back(forecast_of(pair, states, times, conditions, 2));
  for (const auto& mine : all) {
    EXPECT_TRUE(mine.states == alone.states);
    EXPECT_TRUE(mine.spread == alone.spread);
  }
}

class MembersInC : public testing::Test {
 protected:
  MembersInC() : pair_(test::kinds[4], {}, 3), states_(values_of<double>(pair_.states(2))) { load(); }
  ~MembersInC() override { cvf_model_free(model_); }
  void load() {
    cvf_model_free(model_);
    EXPECT_EQ(cvf_model_load(pair_.scratch.path("run").c_str(), nullptr, 0, &model_), CVF_OK)
        << cvf_message();
  }

  Pair pair_;
  std::vector<double> states_;
  cvf_model* model_ = nullptr;
  const double times_[2]{0.3, 0.6};
};

TEST_F(MembersInC, GiveTheirSpreadToArraysAndVisitors) {
  EXPECT_EQ(cvf_model_members(model_), 3);
  EXPECT_EQ(cvf_model_members(nullptr), 0);
  std::vector<double> mean(2 * 2 * 480), spread(mean.size()), plain(mean.size());
  cvf_trace* trace = nullptr;
  ASSERT_EQ(cvf_forecast_spread(model_, 2, states_.data(), times_, 1, 2, nullptr, mean.data(), spread.data(),
                                &trace),
            CVF_OK)
      << cvf_message();
  ASSERT_EQ(cvf_forecast(model_, 2, states_.data(), times_, 1, 2, nullptr, plain.data(), nullptr), CVF_OK);
  EXPECT_EQ(plain, mean);
  for (const double value : spread) EXPECT_GT(value, 0);
  const std::vector<float> single(states_.begin(), states_.end());
  std::vector<float> small(mean.size()), beside(mean.size());
  ASSERT_EQ(cvf_forecast_spread_f32(model_, 2, single.data(), times_, 1, 2, nullptr, small.data(),
                                    beside.data(), nullptr),
            CVF_OK);
  for (std::size_t i = 0; i < mean.size(); ++i) {
    ASSERT_NEAR(small[i], mean[i], 1e-4 * (1 + std::abs(mean[i])));
    ASSERT_NEAR(beside[i], spread[i], 1e-3 * (0.1 + spread[i]));
  }

  struct Seen {
    std::vector<double> mean, spread;
  } seen{std::vector<double>(mean.size()), std::vector<double>(mean.size())};
  const cvf_visit_spread visit = [](void* user, size_t sample, size_t target, double, const double* state,
                                    const double* apart) {
    const auto place = static_cast<std::ptrdiff_t>((sample * 2 + target) * 480);
    std::copy_n(state, 480, static_cast<Seen*>(user)->mean.begin() + place);
    std::copy_n(apart, 480, static_cast<Seen*>(user)->spread.begin() + place);
    return 0;
  };
  ASSERT_EQ(
      cvf_forecast_visit_spread(model_, 2, states_.data(), times_, 1, 2, nullptr, visit, &seen, nullptr),
      CVF_OK);
  EXPECT_EQ(seen.mean, mean);
  EXPECT_EQ(seen.spread, spread);

  cvf_result whole, part;
  ASSERT_EQ(cvf_trace_result(trace, 1, &whole), CVF_OK);
  std::int64_t sum = 0;
  double worst = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    ASSERT_EQ(cvf_trace_target(trace, 1, k, &part), CVF_OK);
    sum += part.evaluations;
    worst = std::fmax(worst, part.largest_error);
  }
  EXPECT_EQ(sum, whole.evaluations);
  EXPECT_EQ(worst, whole.largest_error);
  cvf_trace_free(trace);

  const auto cpp = Surrogate::load(pair_.scratch.path("run")).forecast<double>(states_, times_);
  EXPECT_EQ(cpp.states, mean);
  EXPECT_EQ(cpp.spread, spread);
  const Pair one(test::kinds[4]);
  const auto lonely = Surrogate::load(one.scratch.path("run"));
  EXPECT_EQ(lonely.members(), 1U);
  EXPECT_TRUE(lonely.forecast<double>(states_, times_).spread.empty());
  cvf_model* single_member = nullptr;
  ASSERT_EQ(cvf_model_load(one.scratch.path("run").c_str(), nullptr, 0, &single_member), CVF_OK);
  EXPECT_EQ(cvf_forecast_spread(single_member, 2, states_.data(), times_, 1, 2, nullptr, mean.data(),
                                spread.data(), nullptr),
            CVF_USAGE);
  EXPECT_STREQ(cvf_message(), "spread: the model has one member, so there is no spread of members");
  cvf_model_free(single_member);
}

TEST_F(MembersInC, HaveBarsByTheScoreOfTheirCalibration) {
  std::vector<double> mean(2 * 2 * 480), spread(mean.size()), bars(2), values(2 * 480);
  cvf_trace* trace = nullptr;
  ASSERT_EQ(cvf_forecast_spread(model_, 2, states_.data(), times_, 1, 2, nullptr, mean.data(), spread.data(),
                                &trace),
            CVF_OK);
  test::calibrate(*pair_.plain, metrics::Signal::spread);
  ASSERT_EQ(cvf_trace_error_bars(trace, 1, 0.5, bars.data()), CVF_OK) << cvf_message();
  double square = 0;  // the scales of a frame have the root mean square of its spread
  for (std::size_t i = 0; i < 480; ++i) square += spread[3 * 480 + i] * spread[3 * 480 + i] / 480;
  EXPECT_NEAR(bars[1], 3 * std::sqrt(square), 1e-9 * bars[1]);
  ASSERT_EQ(cvf_value_bars(model_, 2, spread.data(), times_, 0.5, values.data()), CVF_OK) << cvf_message();
  EXPECT_TRUE(std::isinf(values[7])) << "a calibration without bins promises nothing of single values";

  test::calibrate(*pair_.plain, metrics::Signal::rupture);
  ASSERT_EQ(cvf_trace_error_bars(trace, 1, 0.5, bars.data()), CVF_OK) << cvf_message();
  EXPECT_GT(bars[0], 0);
  EXPECT_GT(bars[1], bars[0]);
  EXPECT_EQ(cvf_value_bars(model_, 2, spread.data(), times_, 0.5, values.data()), CVF_MODEL);
  EXPECT_NE(std::string(cvf_message()).find("--score spread"), std::string::npos) << cvf_message();
  test::calibrate(*pair_.plain, metrics::Signal::step_doubling);
  EXPECT_EQ(cvf_trace_error_bars(trace, 1, 0.5, bars.data()), CVF_USAGE);
  EXPECT_NE(std::string(cvf_message()).find("forecast again"), std::string::npos) << cvf_message();
  load();
  cvf_trace* doubled = nullptr;
  ASSERT_EQ(cvf_forecast(model_, 2, states_.data(), times_, 1, 2, nullptr, mean.data(), &doubled), CVF_OK);
  std::vector<std::thread> threads;
  std::vector<std::vector<double>> of_threads(4, std::vector<double>(2, NAN));
  for (auto& own : of_threads)
    threads.emplace_back([&] { cvf_trace_error_bars(doubled, 1, 0.5, own.data()); });
  for (auto& thread : threads) thread.join();
  for (const auto& own : of_threads) EXPECT_EQ(own, of_threads[0]);
  EXPECT_GT(of_threads[0][0], 0);
  cvf_trace_free(doubled);
  EXPECT_EQ(cvf_value_bars(model_, 2, spread.data(), times_, 1.5, values.data()), CVF_USAGE);
  EXPECT_EQ(cvf_value_bars(model_, 1, nullptr, times_, 0.5, values.data()), CVF_USAGE);
  cvf_trace_free(trace);
}

TEST_F(MembersInC, OneThatStopsStopsTheState) {
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : pair_.tensors.field->member(1).named_parameters()) {
    if (parameter.key() == "output.weight") parameter.value().fill_(3e38);
  }
  model::save(pair_.tensors, pair_.scratch.path("run/best"));
  load();
  auto moved = states_;
  cvf_result results[2];
  EXPECT_EQ(cvf_advance(model_, 2, moved.data(), times_, nullptr, results), CVF_NUMERICS);
  EXPECT_NE(std::string(cvf_message()).find("sample 0"), std::string::npos) << cvf_message();
  EXPECT_EQ(results[1].reached, 0);
  EXPECT_EQ(results[1].status, CVF_NON_FINITE);
  EXPECT_EQ(moved, states_);
  states_[481] = NAN;
  EXPECT_EQ(cvf_advance(model_, 2, states_.data(), times_, nullptr, results), CVF_DATA);
  EXPECT_NE(std::string(cvf_message()).find("sample 1"), std::string::npos)
      << "samples are counted, not their members: " << cvf_message();
}

}  // namespace
}  // namespace cvf::runtime
