// A model of three members as a user evaluates it: mean, spread, error bars by value, and steps by tolerance.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cvf/cvf.hpp"
#include "data/hdf5.hpp"
#include "data/source.hpp"
#include "evaluate/calibrate.hpp"
#include "support/has.hpp"
#include "support/program.hpp"
#include "support/training.hpp"

namespace cvf::evaluate {
namespace {

using testing_support::has;
using testing_support::Ran;
using testing_support::Scratch;
using Words = std::vector<std::string>;

class MembersVerb : public testing::Test {
 protected:
  // Five samples validate: enough for a coverage of 0.8.
  void train(const std::string& folder, int members) const {
    auto toml = testing_support::tiny_run(data_, fmt::format("train.members = {}", members));
    toml.replace(toml.find("\"0:8\""), 5, "\"0:4\"");
    toml.replace(toml.find("\"8:9\""), 5, "\"4:9\"");
    testing_support::run(toml, folder);
  }
  Ran ran(const Words& words, int code = 0) const {
    Ran out = testing_support::run(scratch_, words);
    EXPECT_EQ(out.code, code) << out.out << out.err;
    return out;
  }
  void expect(const Words& words, int code, const std::string& said) const {
    const Ran done = ran(words, code);
    EXPECT_TRUE(has(done.out + done.err, said)) << done.out << done.err;
  }

  Scratch scratch_;
  std::string data_ = scratch_.path("data.h5"), run_ = scratch_.path("run"), out_ = scratch_.path("out.h5");
};

TEST_F(MembersVerb, GivesMeanSpreadAndBarsForEveryValue) {
  train(run_, 3);
  const auto json = nlohmann::json::parse(
      ran({"evaluate", run_, "--protocol", "time_informed", "--step-doubling", "--json", "--samples", "4:10"})
          .out);
  const auto& part = json["time_informed"];
  double mean = 0;
  for (const auto& member : part["one_member"]["rollout_rmse"]["members"]) mean += member.get<double>() / 3;
  EXPECT_NEAR(part["one_member"]["rollout_rmse"]["value"].get<double>(), mean, 1e-9);
  EXPECT_LT(part["rollout_rmse"]["value"].get<double>(), mean)
      << "a mean is nearer than one is on the average";
  for (const char* signal : {"doubt", "doubling", "spread", "time", "distance"})
    EXPECT_TRUE(part["trust"]["rank_correlation"].contains(signal)) << signal;
  EXPECT_EQ(part["trust"]["reliability_of"], "spread");
  const auto forecast = nlohmann::json::parse(
      ran({"evaluate", run_, "--protocol", "forecast", "--step-doubling", "--json", "--samples", "4:10"})
          .out);
  for (const char* signal : {"doubt", "doubling", "spread"})
    EXPECT_TRUE(forecast["forecast"]["trust"]["rank_correlation"].contains(signal)) << signal;

  expect({"evaluate", run_, "--calibrate"}, 0, "by its spread");
  expect({"rollout", run_, "--samples", "9", "--coverage", "0.8", "--out", out_}, 0, "at most");
  const auto root = data::hdf5::File::open(out_).root();
  const auto spread = root.dataset("0000/spread").read_all(), bar = root.dataset("0000/value_bar").read_all(),
             bars = root.dataset("0000/frames/error_bar").read_all();
  ASSERT_EQ(spread.size(), 66U);
  ASSERT_EQ(bar.size(), 66U);
  const auto calibration = load_calibration(scratch_.path("run/best.calibration.toml"));
  EXPECT_EQ(calibration.score, Score::spread);
  const double factor = calibration.value_factor(0.8, 3.2);
  EXPECT_NEAR(bar[65], factor * spread[65], 1e-5 * bar[65]);
  const double score = std::hypot(spread[64], spread[65]) / std::sqrt(2.0) * calibration.shape.back();
  EXPECT_NEAR(bars[32], calibration.factor(0.8) * score, 1e-4 * bars[32]);
  const auto evaluated = ran({"evaluate", run_, "--protocol", "time_informed", "--coverage", "0.8"}).out;
  EXPECT_TRUE(has(evaluated, "coverage of single values by lead time")) << evaluated;
  EXPECT_TRUE(has(evaluated, "one_member"));
}

template <class T>
void expect_near(const std::vector<T>& mine, const std::vector<double>& theirs, const char* what) {
  ASSERT_EQ(mine.size(), theirs.size()) << what;
  double size = 0;
  for (const double value : theirs) size = std::fmax(size, std::isinf(value) ? 0 : std::abs(value));
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (std::isinf(theirs[i])) {
      EXPECT_TRUE(std::isinf(mine[i])) << what;
    } else {
      EXPECT_NEAR(mine[i], theirs[i], 1e-6 * size) << what << ' ' << i;
    }
  }
}

TEST_F(MembersVerb, LibcvfGivesWhatRolloutWrites) {
  train(run_, 3);
  ran({"evaluate", run_, "--calibrate"});
  ran({"rollout", run_, "--samples", "8:10", "--until", "4", "--coverage", "0.8", "--out", out_});
  const auto root = data::hdf5::File::open(out_).root();
  const auto file = data::open(out_);
  const auto model = Surrogate::load(run_);
  EXPECT_EQ(model.members(), 3U);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto of = [&](const char* name) {
      auto all = root.dataset(fmt::format("000{}/{}", i, name)).read_all();
      const std::size_t given = all.size() / file->times(i).size();  // the first frame
      return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(given), all.end());
    };
    const auto times = file->times(i);
    const std::vector<double> wanted(times.begin() + 1, times.end());
    std::vector<float> frames(times.size() * 2);
    file->read(i, 0, times.size(), frames);
    const std::vector<float> start(frames.begin(), frames.begin() + 2);
    const std::vector<double> then(frames.begin() + 2, frames.end());
    const auto forecast = model.forecast<float>(start, wanted);
    expect_near(forecast.states, then, "states");
    expect_near(forecast.spread, of("spread"), "spread");
    expect_near(forecast.trace.error_bars(0, 0.8, wanted.size()), of("frames/error_bar"), "error bars");
    expect_near(model.value_bars<float>(forecast.spread, wanted, 0.8), of("value_bar"), "value bars");
    std::vector<double> evaluations;
    for (std::size_t k = 0; k < wanted.size(); ++k)
      evaluations.push_back(static_cast<double>(forecast.trace.result(0, k).evaluations));
    EXPECT_EQ(evaluations, of("frames/evaluations"));
  }
}

TEST_F(MembersVerb, OneMemberHasStepDoublingAndNoSpread) {
  train(run_, 1);
  expect({"evaluate", run_, "--calibrate", "--score", "spread"}, 2, "the model has one member");
  expect({"evaluate", run_, "--step-doubling", "--solver", "rk4"}, 2, "rk4 goes along tangents");
  expect({"evaluate", run_, "--calibrate", "--score", "step_doubling"}, 0, "by its step_doubling");
  expect({"rollout", run_, "--samples", "9", "--coverage", "0.8", "--out", out_}, 0, "at most");
  const auto root = data::hdf5::File::open(out_).root();
  EXPECT_EQ(root.dataset("0000/value_bar").read_all().size(), 66U);
  EXPECT_FALSE(root.has_dataset("0000/spread"));
}

TEST_F(MembersVerb, ToleranceNeedsWhatCalibrationLearns) {
  train(run_, 1);
  const Words with{"rollout", run_, "--samples",  "9", "--set", "solver.tolerance=1e-3",
                   "--out",   out_, "--overwrite"};
  expect(with, 3, "cvf evaluate RUN --calibrate");
  expect({"evaluate", run_, "--calibrate"}, 0, "for solver.tolerance");
  expect(with, 0, "evaluations a predicted frame");
  const std::string file = scratch_.path("run/best.step-errors.toml");
  auto text = files::read_whole(file);
  files::write_atomically(file, text.replace(text.find("nre = ["), 7, "nre = [9.0, "));
  expect(with, 5, "best.step-errors.toml: is damaged");
}

}  // namespace
}  // namespace cvf::evaluate
