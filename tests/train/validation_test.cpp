// How the best model of a run is found, and what is said of the last.
#include "train/validation.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "data/trajectories.hpp"
#include "rollout/protocols.hpp"
#include "rollout/tensors/model.hpp"
#include "support/has.hpp"
#include "support/training.hpp"

namespace cvf::train {
namespace {

using testing_support::has;
using testing_support::options_of;
using testing_support::run;
using testing_support::Scratch;
using testing_support::tiny_run;

std::vector<nlohmann::json> validations_of(const std::string& folder) {
  std::ifstream in(folder + "/log.jsonl");
  std::vector<nlohmann::json> out;
  for (std::string line; std::getline(in, line);) {
    auto event = nlohmann::json::parse(line);
    if (event["event"] == "validation") out.push_back(std::move(event));
  }
  return out;
}

// The rollout error over the frames 0, every, 2 every, ... of one sample.
double error_by_hand(const model::TrainedModel& model, const RunData& run_data, const RunOptions& o,
                     std::size_t sample, std::size_t every) {
  data::Trajectories trajectories(run_data.source, {}, 0, false);
  const auto whole = trajectories.get(sample);
  const auto count = static_cast<std::int64_t>(whole->times.size());
  const auto frames = torch::from_blob(const_cast<float*>(whole->values.data()), {count, 2})
                          .slice(0, 0, count, static_cast<std::int64_t>(every));
  std::vector<double> times;
  for (std::size_t i = 0; i < whole->times.size(); i += every) times.push_back(whole->times[i]);
  const auto solver = o.solver.build(solvers::Context{.delta_min = run_data.spec.state.delta_min,
                                                      .largest_step = run_data.spec.state.step_bound()});
  const auto forecast = rollout::time_informed({.model = rollout::on_tensors(model), .solver = *solver},
                                               rollout::array_of(frames.slice(0, 0, 1)), {times});
  return (rollout::tensor_of(forecast.states)[0] - frames)
      .slice(0, 1)
      .to(torch::kDouble)
      .square()
      .mean(1)
      .mean()
      .sqrt()
      .item<double>();
}

TEST(ValidationErrors, AreThoseOfEveryFrameAndOfTheTrainingGrid) {
  const Scratch scratch;
  const auto toml = tiny_run(scratch.path("data.h5"), "downsampling.kind = \"even\"");
  run(toml, scratch.path("run"));
  const auto model = model::load(scratch.path("run/best"));
  auto options = options_of(toml);
  const auto run_data = prepare(options);
  ProcessGroup alone;
  const auto verdict = Validation(run_data, options).judge(model, alone);
  const double every = error_by_hand(model, run_data, options, 8, 1),
               grid = error_by_hand(model, run_data, options, 8, 2);
  EXPECT_NEAR(verdict.errors.every_frame, every, 1e-6 * every);
  EXPECT_NEAR(verdict.errors.training_grid, grid, 1e-6 * grid);
  EXPECT_NE(every, grid);
}

TEST(ValidationErrors, AreOneWhereTrainingSeesEveryFrame) {
  const Scratch scratch;
  auto toml = tiny_run(scratch.path("data.h5"));
  toml.replace(toml.find("factor = 2"), 10, "factor = 1");
  const auto outcome = run(toml, scratch.path("run"));
  EXPECT_EQ(outcome.best.every_frame, outcome.best.training_grid);
}

TEST(ValidationErrors, TheBestHasTheLowestMeanOfBoth) {
  const Scratch scratch;
  auto toml = tiny_run(scratch.path("data.h5"));
  toml.replace(toml.find("validation.steps = 20"), 21, "validation.steps = 4 ");
  const auto outcome = run(toml, scratch.path("run"));
  const auto events = validations_of(scratch.path("run"));
  ASSERT_EQ(events.size(), 10U);
  double lowest = 1e300;
  std::int64_t step = 0;
  for (const auto& event : events) {
    const double mean = (event["rollout_error"].get<double>() + event["grid_error"].get<double>()) / 2;
    EXPECT_NEAR(event["mean_error"].get<double>(), mean, 1e-5 * mean);
    if (mean >= lowest) continue;
    lowest = mean;
    step = event["step"];
  }
  EXPECT_EQ(outcome.best_step, step);
  EXPECT_NEAR(outcome.best.mean(), lowest, 1e-5 * lowest);
  EXPECT_EQ(model::load(scratch.path("run/best")).spec.provenance.at("step"), fmt::format("{}", step));
  EXPECT_NEAR(outcome.last.every_frame, events.back()["rollout_error"].get<double>(), 1e-5);
}

TEST(Advice, NamesTheLastModelOnlyWhereItIsBetter) {
  EXPECT_EQ(advice({0.2, 0.1}, {0.2, 0.1}, "runs/a"), "") << "the last is the best";
  EXPECT_EQ(advice({0.2, 0.1}, {0.3, 0.2}, "runs/a"), "");
  EXPECT_EQ(advice({}, {0.3, 0.2}, "runs/a"), "") << "there is no best";
  const auto between = advice({0.2, 0.1}, {0.15, 0.2}, "runs/a");
  EXPECT_TRUE(has(between, "runs/a/last is better than runs/a/best on every frame (0.15 against 0.2)"))
      << between;
  EXPECT_TRUE(has(between, "take runs/a/last for times between the training frames")) << between;
  const auto on = advice({0.2, 0.1}, {0.4, 0.05}, "runs/a");
  EXPECT_TRUE(has(on, "better than runs/a/best on the training grid (0.05 against 0.1)")) << on;
  EXPECT_TRUE(has(on, "runs/a/last for steps as long as in training")) << on;
}

}  // namespace
}  // namespace cvf::train
