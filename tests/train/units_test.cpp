// A model does not depend on the units of its file: the same run on states and times in other units gives the
// same forecast in those units.
#include <gtest/gtest.h>

#include <cmath>

#include "data/groups_writer.hpp"
#include "rollout/fit.hpp"
#include "rollout/protocols.hpp"
#include "rollout/tensors/model.hpp"
#include "run/folder.hpp"
#include "runtime/forecast.hpp"
#include "support/training.hpp"

namespace cvf::train {
namespace {

using testing_support::options_of;
using testing_support::Scratch;
using testing_support::tiny_run;

struct Unit {
  double state = 1, time = 1;
};

std::vector<double> scaled(std::vector<double> times, double unit) {
  for (auto& t : times) t *= unit;
  return times;
}

// A copy of a file in other units.
void write_in(const Unit& unit, const data::Source& source, const std::string& path) {
  const auto& d = source.description();
  data::GroupsPlan plan{.state = state_of(d.channels(), d.state.axes)};
  for (std::size_t i = 0; i < d.samples; ++i) plan.times.push_back(scaled(source.times(i), unit.time));
  data::GroupsWriter writer(path, plan);
  std::vector<float> frame(d.frame_size());
  for (std::size_t i = 0; i < d.samples; ++i) {
    for (std::size_t k = 0; k < d.frames[i]; ++k) {
      source.read(i, k, 1, frame);
      for (auto& value : frame) value *= static_cast<float>(unit.state);
      writer.write_frame(i, k, frame);
    }
    writer.finish_sample(i);
  }
  writer.finish();
}

// Of the first test sample, in the units of the original file: the forecasts with LibTorch and of libcvf.
struct Forecasts {
  std::vector<double> tensors, plain;
};

Forecasts forecasts_of(const std::string& folder, const data::Source& source, const Unit& unit) {
  const auto run = run::open(folder);
  const auto solver = run.solver.build(rollout::context_of(rollout::facts_of(run.model)));
  std::vector<float> first(source.description().frame_size());
  source.read(9, 0, 1, first);
  for (auto& value : first) value *= static_cast<float>(unit.state);
  const auto times = scaled(source.times(9), unit.time);
  Forecasts out;
  const auto state = torch::tensor(first).unsqueeze(0);
  const auto forecast = rollout::forecast({.model = rollout::on_tensors(run.model), .solver = *solver},
                                          rollout::array_of(state), {times});
  const auto states = rollout::tensor_of(forecast.states)[0].to(torch::kDouble).contiguous() / unit.state;
  out.tensors.assign(states.data_ptr<double>(), states.data_ptr<double>() + states.numel());
  runtime::forecast<float>(runtime::Model::load(folder), first.data(), 1, {{times.begin() + 1, times.end()}},
                           {}, 1, [&](std::size_t, std::size_t, const float* reached, const float*) {
                             for (std::size_t c = 0; c < first.size(); ++c)
                               out.plain.push_back(static_cast<double>(reached[c]) / unit.state);
                           });
  return out;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  double largest = 0, apart = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::abs(wanted[i]));
    apart = std::fmax(apart, std::abs(found[i] - wanted[i]));
    ASSERT_TRUE(std::isfinite(found[i]));
  }
  EXPECT_LE(apart, 1e-5 * largest);
}

class Units : public testing::TestWithParam<const char*> {};

TEST_P(Units, OfStatesAndTimesDoNotChangeAModel) {
  const Scratch scratch;
  const auto run_in = [&](const Unit& unit, const std::string& name) {
    auto options = options_of(tiny_run(scratch.path(name + ".h5"), GetParam()));
    options.length.steps = 50;
    ProcessGroup alone;
    train(std::move(options), scratch.path(name), alone);
    return unit;
  };
  run_in({}, "one");
  const auto source = data::open(scratch.path("one.h5"));
  const auto wanted = forecasts_of(scratch.path("one"), *source, {});
  for (const int states : {-40, 40}) {
    for (const int times : {-30, 30}) {
      SCOPED_TRACE(fmt::format("states * 2^{}, times * 2^{}", states, times));
      const Unit unit{std::exp2(states), std::exp2(times)};
      const auto name = fmt::format("s{}t{}", states, times);
      write_in(unit, *source, scratch.path(name + ".h5"));
      run_in(unit, name);
      const auto found = forecasts_of(scratch.path(name), *source, unit);
      expect_near(found.tensors, wanted.tensors);
      expect_near(found.plain, wanted.plain);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Training, Units,
    testing::Values(
        "", "normalizer.name = \"separated\"\nobjective.name = \"tm\"\nobjective.spline = \"quintic\"",
        "objective.name = \"node\"\nsolver.name = \"dopri5\"",
        "solver.name = \"gcs\"\nsolver.max_step = 0.0\nsolver.dense = false"));

// Also when it was interrupted: what a checkpoint has seen counts.
TEST(TrainingRange, IsThatOfTheTrainingFrames) {
  const Scratch scratch;
  const auto toml = tiny_run(scratch.path("data.h5"), "checkpoint.keep = 3");
  testing_support::run(toml, scratch.path("run"));
  const auto source = data::open(scratch.path("data.h5"));
  std::vector<double> lowest(2, INFINITY), highest(2, -INFINITY);
  for (std::size_t sample = 0; sample < 8; ++sample) {
    for (std::size_t k = 0; k < source->description().frames[sample]; k += 2) {
      std::vector<float> frame(2);
      source->read(sample, k, 1, frame);
      for (std::size_t c = 0; c < 2; ++c) {
        lowest[c] = std::min(lowest[c], static_cast<double>(frame[c]));
        highest[c] = std::max(highest[c], static_cast<double>(frame[c]));
      }
    }
  }
  const auto state = model::load(scratch.path("run/last")).spec.state;
  EXPECT_EQ(state.lowest, lowest);
  EXPECT_EQ(state.highest, highest);
  testing_support::back_to_step_20(scratch.path("run"), scratch.path("again"));
  testing_support::run(toml, scratch.path("again"));
  EXPECT_EQ(model::load(scratch.path("again/last")).spec.state.lowest, lowest);
}

// A folder from before normalizers had a relative epsilon goes on with the absolute ones, whatever new runs
// have.
TEST(RelativeEpsilon, IsNotGivenToARunThatBeganWithoutIt) {
  const Scratch scratch;
  const auto toml = tiny_run(scratch.path("data.h5"), "checkpoint.keep = 3");
  testing_support::run(toml + "normalizer.relative_epsilon = 0.0\n", scratch.path("whole"));
  testing_support::run(toml, scratch.path("new"));
  EXPECT_NE(testing_support::weights(scratch.path("new")), testing_support::weights(scratch.path("whole")));
  testing_support::back_to_step_20(scratch.path("whole"), scratch.path("old"));
  testing_support::forget_line(scratch.path("old/checkpoints/step-000000020"), "relative_epsilon = 0.0");
  std::string run_toml = files::read_whole(scratch.path("old/run.toml"));
  const std::string line = "relative_epsilon = 0.0\n";
  ASSERT_NE(run_toml.find(line), std::string::npos);
  files::write_atomically(scratch.path("old/run.toml"), run_toml.erase(run_toml.find(line), line.size()));
  testing_support::run(toml, scratch.path("old"));
  EXPECT_EQ(testing_support::weights(scratch.path("old")), testing_support::weights(scratch.path("whole")));
  const auto old = model::load(scratch.path("old/last"));
  EXPECT_EQ(old.spec.normalizer_options.relative_epsilon, 0);
  EXPECT_EQ(old.spec.time_unit(), 1);
}

}  // namespace
}  // namespace cvf::train
