// The C interface: codes and sentences, whatever comes in.
#include <thread>

#include "cvf/cvf.h"
#include "cvf/cvf.hpp"
#include "runtime/models.hpp"

namespace cvf::runtime {
namespace {

using test::Pair;

class CInterface : public testing::Test {
 protected:
  CInterface() : pair_(test::kinds[4]) {
    EXPECT_EQ(cvf_model_load(folder().c_str(), nullptr, 0, &model_), CVF_OK) << cvf_message();
    const auto values = test::values_of<double>(pair_.states(2));
    states_ = values;
  }
  ~CInterface() override { cvf_model_free(model_); }

  std::string folder() const { return pair_.scratch.path("run"); }

  Pair pair_;
  cvf_model* model_ = nullptr;
  std::vector<double> states_;
  const double dt_[2]{0.3, 0.5}, times_[3]{0.2, 0.6, 0.75};
};

TEST_F(CInterface, Describes) {
  cvf_description d;
  ASSERT_EQ(cvf_model_describe(model_, &d), CVF_OK);
  EXPECT_EQ(d.channels, 2);
  EXPECT_EQ(d.axes, 2);
  EXPECT_EQ(d.ny, 12);
  EXPECT_EQ(d.nx, 20);
  EXPECT_EQ(d.state_values, 480);
  EXPECT_STREQ(d.field, "conv");
  EXPECT_STREQ(d.solver, "gcs");
  EXPECT_STREQ(d.normalizer, "separated");
  EXPECT_STREQ(d.boundary, "wall");
  EXPECT_DOUBLE_EQ(d.frame_interval, 0.8);
  EXPECT_DOUBLE_EQ(d.shortest_step, 0.1);
  EXPECT_STREQ(cvf_model_name(model_, CVF_CHANNELS, 1), "v");
  EXPECT_EQ(cvf_model_name(model_, CVF_CHANNELS, 2), nullptr);
  EXPECT_EQ(cvf_model_name(model_, CVF_PARAMETERS, 0), nullptr);
  EXPECT_EQ(cvf_model_name(model_, 9, 0), nullptr);
  EXPECT_EQ(cvf_model_name(nullptr, 0, 0), nullptr);
  EXPECT_EQ(cvf_abi_version(), CVF_ABI_VERSION);
  EXPECT_GT(std::string(cvf_version()).size(), 2U);
}

// Left alone, the first call would take a hundred times as long and the second hours.
TEST_F(CInterface, AHostEndsALongCall) {
  int calls = 0;
  const cvf_stop third = [](void* user) { return ++*static_cast<int*>(user) == 3 ? 1 : 0; };
  cvf_model* euler = nullptr;
  const char* settings[]{"solver.name=euler", "solver.h=1e-3"};
  ASSERT_EQ(cvf_model_load(folder().c_str(), settings, 2, &euler), CVF_OK) << cvf_message();
  std::vector<double> times(100'000), dt(2, 90.0);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = static_cast<double>(i + 1);
  cvf_set_stop(third, &calls);
  EXPECT_EQ(cvf_advance(euler, 2, states_.data(), dt.data(), nullptr, nullptr), CVF_INTERRUPTED);
  EXPECT_EQ(calls, 3);
  EXPECT_STREQ(cvf_message(), "the host program stopped the call");
  const cvf_visit nothing = [](void*, size_t, size_t, double, const double*) { return 0; };
  calls = 0;
  EXPECT_EQ(cvf_forecast_visit(euler, 2, states_.data(), times.data(), 1, times.size(), nullptr, nothing,
                               nullptr, nullptr),
            CVF_INTERRUPTED);
  EXPECT_EQ(calls, 3);
  std::thread other([&] {  // which has set nothing
    EXPECT_EQ(cvf_step(euler, 2, states_.data(), dt_, nullptr, nullptr), CVF_OK) << cvf_message();
  });
  other.join();
  cvf_set_stop(nullptr, nullptr);
  EXPECT_EQ(cvf_step(euler, 2, states_.data(), dt_, nullptr, nullptr), CVF_OK) << cvf_message();
  cvf_model_free(euler);
}

TEST_F(CInterface, GivesWhatTheRuntimeGives) {
  auto expected = states_, mine = states_;
  const auto trace = advance(*pair_.plain, expected.data(), 2, dt_, {}, 1);
  cvf_result results[2];
  ASSERT_EQ(cvf_advance(model_, 2, mine.data(), dt_, nullptr, results), CVF_OK) << cvf_message();
  EXPECT_EQ(mine, expected);
  EXPECT_EQ(results[1].evaluations, trace.outcome.counts[1].evaluations);
  EXPECT_EQ(results[0].reached, 1);
  EXPECT_GT(results[0].largest_error, 0);

  const auto rupture = nre(*pair_.plain, states_.data(), 2, dt_, {}, 1);
  double ours[2];
  ASSERT_EQ(cvf_nre(model_, 2, states_.data(), dt_, nullptr, ours), CVF_OK);
  EXPECT_EQ(ours[0], rupture[0]);

  std::vector<float> single(states_.begin(), states_.end());
  ASSERT_EQ(cvf_step_f32(model_, 2, single.data(), dt_, nullptr, nullptr), CVF_OK);
  mine = states_;
  ASSERT_EQ(cvf_step(model_, 2, mine.data(), dt_, nullptr, nullptr), CVF_OK);
  for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_NEAR(single[i], mine[i], 1e-5);
}

TEST_F(CInterface, ForecastsIntoAnArrayAndToAVisitor) {
  std::vector<double> all(2 * 3 * 480);
  cvf_trace* trace = nullptr;
  ASSERT_EQ(cvf_forecast(model_, 2, states_.data(), times_, 1, 3, nullptr, all.data(), &trace), CVF_OK)
      << cvf_message();
  struct Seen {
    std::vector<double> values;
    std::vector<double> times;
    int left = 100;
  } seen;
  seen.values.resize(all.size());
  const cvf_visit visit = [](void* user, size_t sample, size_t target, double time, const double* state) {
    auto& to = *static_cast<Seen*>(user);
    std::copy_n(state, 480, to.values.begin() + static_cast<std::ptrdiff_t>((sample * 3 + target) * 480));
    to.times.push_back(time);
    return --to.left == 0 ? 1 : 0;
  };
  ASSERT_EQ(cvf_forecast_visit(model_, 2, states_.data(), times_, 1, 3, nullptr, visit, &seen, nullptr),
            CVF_OK);
  EXPECT_EQ(seen.values, all);
  EXPECT_EQ(seen.times.size(), 6U);
  seen.left = 2;
  EXPECT_EQ(cvf_forecast_visit(model_, 2, states_.data(), times_, 1, 3, nullptr, visit, &seen, nullptr),
            CVF_INTERRUPTED);
  EXPECT_NE(std::string(cvf_message()).find("visitor stopped"), std::string::npos);

  cvf_result whole, part;
  std::int64_t sum = 0;
  ASSERT_EQ(cvf_trace_result(trace, 1, &whole), CVF_OK);
  for (std::size_t target = 0; target < 3; ++target) {
    ASSERT_EQ(cvf_trace_target(trace, 1, target, &part), CVF_OK);
    sum += part.evaluations;
  }
  EXPECT_EQ(sum, whole.evaluations);
  const cvf_accepted_step* steps = nullptr;
  std::size_t count = 0;
  ASSERT_EQ(cvf_trace_steps(trace, 1, &steps, &count), CVF_OK);
  double length = 0;
  for (std::size_t i = 0; i < count; ++i) length += steps[i].length;
  EXPECT_NEAR(length, 0.75, 1e-9);
  EXPECT_EQ(static_cast<std::int64_t>(count), whole.accepted);
  EXPECT_EQ(cvf_trace_result(trace, 2, &whole), CVF_USAGE);
  EXPECT_EQ(cvf_trace_target(trace, 0, 3, &part), CVF_USAGE);
  cvf_trace_free(trace);
}

TEST_F(CInterface, MeasuresTheNreAfterwardsWhereTheSolverDidNot) {
  const char* settings[]{"solver.name=euler"};
  cvf_model* euler = nullptr;
  ASSERT_EQ(cvf_model_load(folder().c_str(), settings, 1, &euler), CVF_OK) << cvf_message();
  std::vector<double> all(2 * 3 * 480), once(3), again(3);
  cvf_trace* trace = nullptr;
  ASSERT_EQ(cvf_forecast(euler, 2, states_.data(), times_, 1, 3, nullptr, all.data(), &trace), CVF_OK);
  cvf_result whole;
  ASSERT_EQ(cvf_trace_result(trace, 0, &whole), CVF_OK);
  EXPECT_TRUE(std::isnan(whole.largest_error));
  ASSERT_EQ(cvf_trace_nre(trace, 0, once.data()), CVF_OK) << cvf_message();
  ASSERT_EQ(cvf_trace_nre(trace, 0, again.data()), CVF_OK);
  EXPECT_EQ(once, again);
  const cvf_accepted_step* steps = nullptr;
  std::size_t count = 0;
  ASSERT_EQ(cvf_trace_steps(trace, 0, &steps, &count), CVF_OK);
  ASSERT_GT(count, 0U);
  double first = 0;
  ASSERT_EQ(cvf_nre(euler, 1, states_.data(), &steps[0].length, nullptr, &first), CVF_OK);
  EXPECT_NEAR(once[0], first, 1e-5 * first) << "of the first step";
  EXPECT_EQ(cvf_trace_nre(trace, 5, once.data()), CVF_USAGE);
  cvf_trace_free(trace);
  cvf_model_free(euler);
}

TEST_F(CInterface, HasErrorBarsWhereTheModelHasACalibration) {
  cvf_trace* trace = nullptr;
  std::vector<double> all(2 * 3 * 480), bars(3);
  ASSERT_EQ(cvf_forecast(model_, 2, states_.data(), times_, 1, 3, nullptr, all.data(), &trace), CVF_OK);
  EXPECT_EQ(cvf_trace_error_bars(trace, 0, 0.5, bars.data()), CVF_MODEL);
  EXPECT_NE(std::string(cvf_message()).find("cvf evaluate"), std::string::npos) << cvf_message();

  auto made = test::calibrate(*pair_.plain, metrics::Signal::rupture);
  ASSERT_EQ(cvf_trace_error_bars(trace, 0, 0.5, bars.data()), CVF_OK) << cvf_message();
  EXPECT_GT(bars[0], 0);
  EXPECT_GT(bars[1], bars[0]) << "doubt grows";
  EXPECT_TRUE(std::isinf(bars[2])) << "beyond the horizon nothing is promised";
  EXPECT_EQ(cvf_trace_error_bars(trace, 0, 0.99, bars.data()), CVF_USAGE);
  EXPECT_EQ(cvf_trace_error_bars(trace, 0, 1.5, bars.data()), CVF_USAGE);
  made.solver = "name = \"rk4\"\n";
  metrics::save(made, metrics::calibration_file(pair_.plain->path()));
  EXPECT_EQ(cvf_trace_error_bars(trace, 0, 0.5, bars.data()), CVF_MODEL);
  cvf_trace_free(trace);
}

TEST_F(CInterface, RefusesWhatIsNotThere) {
  double out[8];
  cvf_model* other = model_;
  EXPECT_EQ(cvf_model_load(nullptr, nullptr, 0, &other), CVF_USAGE);
  EXPECT_STREQ(cvf_message(), "folder is NULL");
  EXPECT_EQ(other, nullptr) << "nobody should free what is not there";
  EXPECT_EQ(cvf_model_load(folder().c_str(), nullptr, 2, &other), CVF_USAGE);
  EXPECT_EQ(cvf_model_load(folder().c_str(), nullptr, 0, nullptr), CVF_USAGE);
  const char* with_null[]{nullptr};
  EXPECT_EQ(cvf_model_load(folder().c_str(), with_null, 1, &other), CVF_USAGE);
  EXPECT_EQ(cvf_model_describe(nullptr, nullptr), CVF_USAGE);
  EXPECT_EQ(cvf_model_describe(model_, nullptr), CVF_USAGE);
  EXPECT_EQ(cvf_model_set_threads(nullptr, 1), CVF_USAGE);
  EXPECT_EQ(cvf_model_on_grid(nullptr, 1, 1, 0, 0, &other), CVF_USAGE);
  EXPECT_EQ(cvf_model_on_grid(model_, 1, 1, 0, 0, nullptr), CVF_USAGE);
  EXPECT_EQ(cvf_step(nullptr, 1, out, dt_, nullptr, nullptr), CVF_USAGE);
  EXPECT_EQ(cvf_step(model_, 1, nullptr, dt_, nullptr, nullptr), CVF_USAGE);
  EXPECT_STREQ(cvf_message(), "states is NULL");
  EXPECT_EQ(cvf_advance(model_, 1, states_.data(), nullptr, nullptr, nullptr), CVF_USAGE);
  EXPECT_EQ(cvf_advance_f32(model_, 1, nullptr, dt_, nullptr, nullptr), CVF_USAGE);
  EXPECT_EQ(cvf_nre(model_, 1, states_.data(), dt_, nullptr, nullptr), CVF_USAGE);
  EXPECT_EQ(cvf_nre_f32(nullptr, 1, nullptr, dt_, nullptr, out), CVF_USAGE);
  EXPECT_EQ(cvf_forecast(model_, 1, states_.data(), times_, 1, 3, nullptr, nullptr, nullptr), CVF_USAGE);
  EXPECT_EQ(cvf_forecast(nullptr, 1, states_.data(), times_, 1, 3, nullptr, out, nullptr), CVF_USAGE);
  std::vector<double> all(3 * 480);
  EXPECT_EQ(cvf_forecast(model_, 1, states_.data(), nullptr, 1, 3, nullptr, all.data(), nullptr), CVF_USAGE);
  EXPECT_EQ(cvf_forecast_visit(model_, 1, states_.data(), times_, 1, 3, nullptr, nullptr, nullptr, nullptr),
            CVF_USAGE);
  EXPECT_EQ(cvf_trace_result(nullptr, 0, nullptr), CVF_USAGE);
  EXPECT_EQ(cvf_trace_steps(nullptr, 0, nullptr, nullptr), CVF_USAGE);
  EXPECT_EQ(cvf_trace_error_bars(nullptr, 0, 0.5, out), CVF_USAGE);
  EXPECT_STREQ(cvf_trace_message(nullptr, 0), "");
  cvf_trace_free(nullptr);
  cvf_model_free(nullptr);
}

TEST_F(CInterface, RefusesWhatMakesNoSense) {
  const double backwards[2]{-0.1, 0.1}, twice[3]{0.2, 0.2, 0.3};
  std::vector<double> all(2 * 3 * 480);
  EXPECT_EQ(cvf_step(model_, 2, states_.data(), backwards, nullptr, nullptr), CVF_USAGE);
  EXPECT_STREQ(cvf_message(), "a step of -0.1: give a time ahead, above 0");
  EXPECT_EQ(cvf_forecast(model_, 2, states_.data(), twice, 1, 3, nullptr, all.data(), nullptr), CVF_DATA);
  EXPECT_EQ(cvf_forecast(model_, 2, states_.data(), times_, 3, 1, nullptr, all.data(), nullptr), CVF_USAGE);
  EXPECT_EQ(cvf_model_set_threads(model_, 0), CVF_USAGE);
  EXPECT_EQ(cvf_model_set_threads(model_, 100'000), CVF_USAGE);
  states_[3] = NAN;
  EXPECT_EQ(cvf_step(model_, 2, states_.data(), dt_, nullptr, nullptr), CVF_DATA);
  EXPECT_NE(std::string(cvf_message()).find("sample 0"), std::string::npos);
  cvf_model* other = nullptr;
  EXPECT_EQ(cvf_model_load(pair_.scratch.path("nowhere").c_str(), nullptr, 0, &other), CVF_MODEL);
  EXPECT_NE(std::string(cvf_message()).find("nowhere"), std::string::npos);
  const char* slip[]{"solver.slak=1"};
  EXPECT_EQ(cvf_model_load(folder().c_str(), slip, 1, &other), CVF_CONFIG);
  EXPECT_NE(std::string(cvf_message()).find("slack"), std::string::npos);
  EXPECT_EQ(cvf_model_on_grid(model_, 0, 5, 0, 0, &other), CVF_USAGE);
  for (const double spacing : {static_cast<double>(NAN), HUGE_VAL, -1.0}) {
    EXPECT_EQ(cvf_model_on_grid(model_, 5, 5, spacing, 0, &other), CVF_USAGE) << spacing;
    EXPECT_EQ(cvf_model_on_grid(model_, 5, 5, 0, spacing, &other), CVF_USAGE) << spacing;
    EXPECT_NE(std::string(cvf_message()).find("give a positive number"), std::string::npos);
  }
  cvf_context context{};
  const cvf_conditions conditions{&context, 1, nullptr};
  EXPECT_EQ(cvf_step(model_, 2, all.data(), dt_, &conditions, nullptr), CVF_USAGE);
  EXPECT_STREQ(cvf_message(), "the model takes no context");
}

TEST_F(CInterface, AnEmptyBatchIsNoTrouble) {
  EXPECT_EQ(cvf_step(model_, 0, nullptr, nullptr, nullptr, nullptr), CVF_OK);
  EXPECT_EQ(cvf_nre(model_, 0, nullptr, nullptr, nullptr, nullptr), CVF_OK);
  EXPECT_EQ(cvf_forecast(model_, 0, nullptr, times_, 1, 3, nullptr, nullptr, nullptr), CVF_OK);
  EXPECT_EQ(cvf_forecast(model_, 2, states_.data(), nullptr, 1, 0, nullptr, nullptr, nullptr), CVF_OK);
}

TEST_F(CInterface, AStateThatGoesWrongStaysAndTheOthersGoOn) {
  const torch::NoGradGuard no_gradients;
  const auto bad = pair_.states(2);
  auto mine = test::values_of<double>(bad);
  for (std::size_t i = 0; i < 480; ++i)
    mine[i] = i % 2 == 0 ? 3e38 : -3e38;  // the first one leaves the numbers that there are
  const auto before = mine;
  cvf_result results[2];
  const char* settings[]{"solver.name=euler"};
  cvf_model* euler = nullptr;
  ASSERT_EQ(cvf_model_load(folder().c_str(), settings, 1, &euler), CVF_OK);
  EXPECT_EQ(cvf_advance(euler, 2, mine.data(), dt_, nullptr, results), CVF_NUMERICS);
  EXPECT_NE(std::string(cvf_message()).find("sample 0"), std::string::npos) << cvf_message();
  EXPECT_EQ(results[0].status, CVF_NON_FINITE);
  EXPECT_EQ(results[0].reached, 0);
  EXPECT_EQ(results[1].reached, 1);
  EXPECT_TRUE(std::equal(mine.begin(), mine.begin() + 480, before.begin()));
  EXPECT_FALSE(std::equal(mine.begin() + 480, mine.end(), before.begin() + 480));
  cvf_model_free(euler);
}

TEST_F(CInterface, AMessageBelongsToItsThread) {
  EXPECT_EQ(cvf_model_load(nullptr, nullptr, 0, &model_), CVF_USAGE);
  std::thread([] { EXPECT_STREQ(cvf_message(), ""); }).join();
  EXPECT_STREQ(cvf_message(), "folder is NULL");
}

// A pendulum with angles of -3 to 3 and velocities of -2 to 2 in training; steps up to 0.8.
class COutsideTraining : public testing::Test {
 protected:
  COutsideTraining() {
    auto model = test::random_model(test::kinds[0]);
    model::save(model, scratch_.path("old"));
    model.spec.state.lowest = {-3, -2};
    model.spec.state.highest = {3, 2};
    model::save(model, scratch_.path("new"));
  }

  cvf_result stepped(const char* folder, std::vector<double> state, double dt) const {
    cvf_model* model = nullptr;
    EXPECT_EQ(cvf_model_load(scratch_.path(folder).c_str(), nullptr, 0, &model), CVF_OK) << cvf_message();
    cvf_result out{};
    EXPECT_EQ(cvf_step(model, 1, state.data(), &dt, nullptr, &out), CVF_OK) << cvf_message();
    cvf_model_free(model);
    return out;
  }

  testing_support::Scratch scratch_;
};

TEST_F(COutsideTraining, IsTheStatusOfFarStatesAndSteps) {
  EXPECT_EQ(stepped("new", {0.5, 1}, 0.1).status, CVF_DONE);
  EXPECT_EQ(stepped("new", {8, -5}, 0.1).status, CVF_DONE) << "within a width of the range";
  EXPECT_EQ(stepped("new", {0, 6.5}, 0.1).status, CVF_OUTSIDE_TRAINING);
  EXPECT_EQ(stepped("new", {0.5, 1}, 6e6).status, CVF_OUTSIDE_TRAINING);
  EXPECT_EQ(stepped("new", {1e6, 1e6}, 0.1).reached, 1);
}

TEST_F(COutsideTraining, IsUnknownToModelsThatStoreNoRange) {
  EXPECT_EQ(stepped("old", {1e6, 1e6}, 0.1).status, CVF_DONE);
  EXPECT_EQ(stepped("old", {0.5, 1}, 6e6).status, CVF_DONE);
}

TEST_F(COutsideTraining, IsSaidOfTheSampleAndTheTargetOfAForecast) {
  const char* settings[]{"solver.name=euler"};
  cvf_model* model = nullptr;
  ASSERT_EQ(cvf_model_load(scratch_.path("new").c_str(), settings, 1, &model), CVF_OK) << cvf_message();
  const double states[]{0.5, 1, 1e6, 1e6}, times[]{0.1, 0.2};
  double forecast[8];
  cvf_trace* trace = nullptr;
  ASSERT_EQ(cvf_forecast(model, 2, states, times, 1, 2, nullptr, forecast, &trace), CVF_OK) << cvf_message();
  cvf_result result{};
  ASSERT_EQ(cvf_trace_result(trace, 0, &result), CVF_OK);
  EXPECT_EQ(result.status, CVF_DONE);
  EXPECT_STREQ(cvf_trace_message(trace, 0), "");
  ASSERT_EQ(cvf_trace_result(trace, 1, &result), CVF_OK);
  EXPECT_EQ(result.status, CVF_OUTSIDE_TRAINING);
  EXPECT_EQ(result.time, 0);
  EXPECT_STREQ(
      cvf_trace_message(trace, 1),
      "outside of training at time 0: angle = 1e+06, where training had -3 to 3; the model extrapolates");
  ASSERT_EQ(cvf_trace_target(trace, 1, 0, &result), CVF_OK);
  EXPECT_EQ(result.status, CVF_OUTSIDE_TRAINING);
  cvf_trace_free(trace);
  cvf_model_free(model);
}

TEST(CContexts, ArriveAsTheyAre) {
  const Pair pair(test::kinds[8]);  // everything that a context can be
  cvf_model* model = nullptr;
  ASSERT_EQ(cvf_model_load(pair.scratch.path("run").c_str(), nullptr, 0, &model), CVF_OK) << cvf_message();
  auto conditions = pair.conditions(2);
  conditions.start_times = {0.1, 0.5};
  const auto start = test::values_of<double>(pair.states(2));
  auto expected = start, mine = start;
  const double dt[]{0.7, 0.3};
  advance(*pair.plain, expected.data(), 2, dt, conditions, 1);
  std::vector<cvf_context> contexts;
  for (const auto& c : conditions.contexts) {
    contexts.push_back({c->parameters.data(), c->statics.data(), c->times.data(), c->times.size(),
                        c->controls.data(), c->control_fields.data()});
  }
  cvf_conditions given{contexts.data(), 2, conditions.start_times.data()};
  ASSERT_EQ(cvf_advance(model, 2, mine.data(), dt, &given, nullptr), CVF_OK) << cvf_message();
  EXPECT_EQ(mine, expected);
  EXPECT_NE(mine, start);

  EXPECT_EQ(cvf_advance(model, 2, mine.data(), dt, nullptr, nullptr), CVF_USAGE);
  EXPECT_NE(std::string(cvf_message()).find("a, bottom, wind, heat, rain"), std::string::npos)
      << cvf_message();
  const double late[]{3.9, 0};
  given.start_times = late;
  EXPECT_EQ(cvf_advance(model, 2, mine.data(), dt, &given, nullptr), CVF_DATA);
  EXPECT_NE(std::string(cvf_message()).find("controls are known from"), std::string::npos) << cvf_message();
  given.start_times = nullptr;
  contexts[1].statics = nullptr;
  EXPECT_EQ(cvf_advance(model, 2, mine.data(), dt, &given, nullptr), CVF_USAGE);
  EXPECT_STREQ(cvf_message(), "context.statics is NULL");
  given.context_count = 1;  // the first for both
  EXPECT_EQ(cvf_advance(model, 2, mine.data(), dt, &given, nullptr), CVF_OK) << cvf_message();
  contexts[0].time_count = 0;
  EXPECT_EQ(cvf_advance(model, 2, mine.data(), dt, &given, nullptr), CVF_DATA);
  cvf_model_free(model);
}

TEST(CppHeader, ThrowsSentencesAndKeepsBatchesApart) {
  const Pair pair(test::kinds[4]);
  const auto model = Surrogate::load(pair.scratch.path("run"), {"solver.name=rk4"});
  EXPECT_EQ(model.channels(), (std::vector<std::string>{"u", "v"}));
  EXPECT_STREQ(model.describe().solver, "rk4");
  EXPECT_EQ(model.on_grid(5, 6).state_size(), 60U);
  std::vector<double> states(480);
  EXPECT_THROW(model.step<double>(states, std::vector{0.1, 0.2}), SurrogateError);
  try {
    Surrogate::load(pair.scratch.path("nowhere"));
    ADD_FAILURE() << "there is no such folder";
  } catch (const SurrogateError& error) {
    EXPECT_EQ(error.code(), CVF_MODEL);
    EXPECT_NE(std::string(error.what()).find("nowhere"), std::string::npos);
  }
  const auto forecast = model.forecast<double>(states, std::vector{0.1, 0.4});
  EXPECT_EQ(forecast.states.size(), 2U * 480);
  EXPECT_EQ(forecast.trace.result(0).accepted, static_cast<std::int64_t>(forecast.trace.steps(0).size()));
}

}  // namespace
}  // namespace cvf::runtime
