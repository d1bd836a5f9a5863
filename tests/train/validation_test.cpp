// How the best model of a run is found, and what is said of the last.
#include "train/validation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "data/trajectories.hpp"
#include "rollout/protocols.hpp"
#include "rollout/tensors/model.hpp"
#include "support/archives.hpp"
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

// The predicted frames of one sample at 0, every, 2 every, ..., and the true ones: [T,2] in double.
std::pair<torch::Tensor, torch::Tensor> rolled_out(const model::TrainedModel& model, const RunData& run_data,
                                                   const RunOptions& o, std::size_t sample,
                                                   std::size_t every) {
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
  return {rollout::tensor_of(forecast.states)[0].slice(0, 1).to(torch::kDouble),
          frames.slice(0, 1).to(torch::kDouble)};
}

// The rollout error over these frames.
double error_by_hand(const model::TrainedModel& model, const RunData& run_data, const RunOptions& o,
                     std::size_t sample, std::size_t every) {
  const auto [states, truth] = rolled_out(model, run_data, o, sample, every);
  return (states - truth).square().mean().sqrt().item<double>();
}

// A tiny run on the same trajectories with each channel in another unit.
std::string in_units(const Scratch& scratch, const std::vector<double>& units) {
  auto toml = tiny_run(scratch.path("data.h5"));
  options_of(toml);
  const auto source = data::open(scratch.path("data.h5"));
  const auto& d = source->description();
  std::vector<float> all;
  for (std::size_t sample = 0; sample < d.samples; ++sample) {
    std::vector<float> values(d.frames[sample] * d.frame_size());
    source->read(sample, 0, d.frames[sample], values);
    for (std::size_t i = 0; i < values.size(); ++i)
      all.push_back(static_cast<float>(values[i] * units[i % units.size()]));
  }
  const std::string file = scratch.path(fmt::format("{}.npz", fmt::join(units, "-")));
  files::write_atomically(
      file,
      testing_support::zip(
          {{"states.npy", testing_support::npy("<f4", "(10, 33, 2)", testing_support::raw(all))}}, false));
  for (const char* key : {"data.file", "generate.name", "generate.samples", "generate.frames"}) {
    const auto begin = toml.find(key);
    toml.erase(begin, toml.find('\n', begin) - begin);
  }
  return fmt::format("{}\ndata.file = \"{}\"\ndata.axes = \"n,t,c\"\ndata.dt = 0.1\n", toml, file);
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

TEST(ValidationErrors, CountChannelsOfAnyUnitAlike) {
  const Scratch scratch;
  const auto toml = in_units(scratch, {1e5, 1e-3});
  run(toml, scratch.path("run"));
  const auto model = model::load(scratch.path("run/best"));
  auto options = options_of(toml);
  const auto run_data = prepare(options);
  ProcessGroup alone;
  const Validation validation(run_data, options);
  const auto verdict = validation.judge(model, alone);
  const auto [states, truth] = rolled_out(model, run_data, options, 8, 1);
  const auto by_hand = [&](const torch::Tensor& guess) {
    return ((guess - truth) / truth.std(0, false)).square().mean().sqrt().item<double>();
  };
  EXPECT_NEAR(verdict.normalized.every_frame, by_hand(states), 1e-6 * by_hand(states));
  const double first = (states - truth).select(1, 0).square().mean().sqrt().item<double>();
  EXPECT_NEAR(verdict.errors.every_frame, first / std::sqrt(2), 1e-6 * first) << "the first channel alone";

  const auto baselines = validation.baselines(model);
  data::Trajectories trajectories(run_data.source, {}, 0, false);
  const auto whole = trajectories.get(8);
  const auto start = torch::tensor({whole->values[0], whole->values[1]}, torch::kDouble);
  EXPECT_NEAR(baselines.persistence, by_hand(start), 1e-6 * by_hand(start));
  const auto mean = torch::tensor(rollout::on_tensors(model)->state_mean(), torch::kDouble);
  EXPECT_NEAR(baselines.mean_state, by_hand(mean), 1e-6 * by_hand(mean));
}

// Scaled by a power of two, a channel has the same digits: what is learned is the same. These are about 1e5
// and 1e-3.
TEST(ValidationErrors, ChooseTheSameBestModelInAnyUnit) {
  const Scratch scratch;
  std::vector<std::int64_t> steps;
  std::vector<double> errors;
  for (const std::vector<double>& units :
       {std::vector<double>{1, 1}, {131072, 1. / 1024}, {1. / 1024, 131072}}) {
    auto toml = in_units(scratch, units);
    toml.replace(toml.find("validation.steps = 20"), 21, "validation.steps = 4 ");
    const auto outcome = run(toml, scratch.path(fmt::format("run-{}", steps.size())));
    EXPECT_EQ(outcome.metric, "normalized_rmse");
    steps.push_back(outcome.best_step);
    errors.push_back(outcome.best.mean());
  }
  for (std::size_t i = 1; i < steps.size(); ++i) {
    EXPECT_EQ(steps[i], steps[0]);
    EXPECT_NEAR(errors[i], errors[0], 1e-3 * errors[0]);
  }
}

TEST(ValidationErrors, TheBestHasTheLowestMeanOfBothByTheMetricThatIsWished) {
  const Scratch scratch;
  auto toml = tiny_run(scratch.path("data.h5"));
  toml.replace(toml.find("validation.steps = 20"), 21, "validation.steps = 4 ");
  const std::vector<std::array<std::string, 4>> metrics{
      {"rollout_rmse", "rollout_error", "grid_error", "mean_error"},
      {"normalized_rmse", "normalized_rmse", "normalized_grid_rmse", "normalized_mean_rmse"}};
  for (const auto& [metric, every_frame, on_grid, of_both] : metrics) {
    SCOPED_TRACE(metric);
    const std::string folder = scratch.path(metric);
    const auto outcome = run(toml + fmt::format("validation.metric = \"{}\"\n", metric), folder);
    const auto events = validations_of(folder);
    ASSERT_EQ(events.size(), 10U);
    double lowest = 1e300;
    std::int64_t step = 0;
    for (const auto& event : events) {
      const double mean = (event[every_frame].get<double>() + event[on_grid].get<double>()) / 2;
      EXPECT_NEAR(event[of_both].get<double>(), mean, 1e-5 * mean);
      if (mean >= lowest) continue;
      lowest = mean;
      step = event["step"];
    }
    EXPECT_EQ(outcome.best_step, step);
    EXPECT_NEAR(outcome.best.mean(), lowest, 1e-5 * lowest);
    EXPECT_EQ(model::load(folder + "/best").spec.provenance.at("step"), fmt::format("{}", step));
    EXPECT_NEAR(outcome.last.every_frame, events.back()[every_frame].get<double>(), 1e-5);
  }
}

// Of before there was a choice: its best error so far is a rollout_rmse, with which others do not compare.
TEST(ValidationErrors, AreThoseThatARunWasBegunWith) {
  const Scratch scratch;
  const auto toml = tiny_run(scratch.path("data.h5"), "checkpoint.keep = 3");
  const auto rollout = toml + "validation.metric = \"rollout_rmse\"\n";
  const auto whole = run(rollout, scratch.path("whole"));
  testing_support::back_to_step_20(scratch.path("whole"), scratch.path("old"));
  const std::string checkpoint = scratch.path("old/checkpoints/step-000000020");
  for (const char* line : {"best_metric = \"rollout_rmse\"", "metric = \"rollout_rmse\""})
    testing_support::forget_line(checkpoint, line);
  const auto outcome = run(toml, scratch.path("old"));
  EXPECT_EQ(outcome.steps_here, 20);
  EXPECT_EQ(outcome.metric, "rollout_rmse");
  EXPECT_EQ(outcome.best.mean(), whole.best.mean());
  EXPECT_TRUE(has(files::read_whole(scratch.path("old/run.toml")), "metric = \"rollout_rmse\""));
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
