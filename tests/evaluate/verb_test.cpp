// `cvf evaluate` and the error bars of `cvf rollout` as a user runs them, on a model that was hardly trained.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "data/hdf5.hpp"
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

std::string replaced(std::string text, const std::string& old, const std::string& now) {
  return text.replace(text.find(old), old.size(), now);
}

class EvaluateVerb : public testing::Test {
 protected:
  // Five samples validate: enough for a coverage of 0.8.
  void SetUp() override {
    auto toml = replaced(testing_support::tiny_run(data_), "\"0:8\"", "\"0:4\"");
    testing_support::run(replaced(toml, "\"8:9\"", "\"4:9\""), run_);
  }

  void expect(const Words& words, int code, const std::string& said) const {
    const Ran ran = testing_support::run(scratch_, words);
    EXPECT_EQ(ran.code, code) << ran.err;
    EXPECT_TRUE(has(ran.out + ran.err, said)) << ran.out << ran.err;
  }
  Words rollout(const Words& more) const {
    Words words{"rollout", run_, "--data", data_, "--out", out_, "--samples", "9", "--overwrite"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  Scratch scratch_;
  std::string data_ = scratch_.path("data.h5"), run_ = scratch_.path("run"), out_ = scratch_.path("out.h5");
  std::string file_ = scratch_.path("run/best.calibration.toml");
};

TEST_F(EvaluateVerb, CalibratesSoThatRolloutsHaveErrorBars) {
  expect(rollout({"--coverage", "0.8"}), 5, "make it with: cvf evaluate " + run_ + "/best --calibrate");
  expect({"evaluate", run_, "--calibrate", "--split", "train"}, 2,
         "sample 0 was trained on, so its errors are too small: calibrate with the run's validation samples, "
         "4:9");
  EXPECT_FALSE(std::filesystem::exists(file_));
  expect({"evaluate", run_, "--calibrate"}, 0, "on the run's 5 validation samples 4:9");
  expect({"evaluate", run_, "--calibrate"}, 0, "goes its way once more, 3 evaluations for each step");
  EXPECT_NO_THROW(model::load(run_ + "/best")) << "the manifest does not mind";

  expect(rollout({"--coverage", "0.8"}), 0, "sample 9 at time 3.2: at most ");
  expect(rollout({"--coverage", "0.8"}), 0, "by rupture, measured in a second pass: ");
  const auto root = data::hdf5::File::open(out_).root();
  const auto bars = root.dataset("0000/frames/error_bar").read_all();
  const auto nre = root.dataset("0000/steps/nre").read_all(),
             step = root.dataset("0000/steps/step").read_all();
  const auto calibration = load_calibration(file_);
  double score = 0;
  for (std::size_t i = 0; i < nre.size(); ++i) score += std::max(nre[i], least_nre) * step[i];
  score *= calibration.shape.back();
  ASSERT_EQ(bars.size(), 33U);
  EXPECT_EQ(bars[0], 0);
  EXPECT_NEAR(bars[32], calibration.factor(0.8) * score, 1e-9 * bars[32]);
  expect({"evaluate", run_, "--coverage", "0.8", "--protocol", "direct"}, 0, "coverage at 0.8: ");
  expect({"evaluate", run_, "--protocol", "direct"}, 0, "a coverage of 0.9 needs 9, so error bars are not");
}

TEST_F(EvaluateVerb, StepsWithTheSolverThatTheRunNames) {
  const std::string named = scratch_.path("named");
  testing_support::run(testing_support::tiny_run(data_) + "\nsolver.name = \"tsit5\"\n", named);
  const Words words{"evaluate", named, "--protocol", "direct", "--json"};
  expect(words, 0, R"(name = \"tsit5\")");
}

// The default takes the steps that gcs takes where the field agrees with itself: same states, a third of the
// evaluations.
TEST_F(EvaluateVerb, GivesTheSameErrorsForAThirdOfTheEvaluationsOfGcs) {
  const auto numbers = [&](Words more) {
    Words words{"evaluate", run_, "--protocol", "forecast", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = testing_support::run(scratch_, words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return nlohmann::json::parse(ran.out)["forecast"];
  };
  const auto usual = numbers({}), searched = numbers({"--solver", "gcs", "--set", "solver.delta_min=0.2"});
  EXPECT_EQ(usual["rollout_rmse"]["value"], searched["rollout_rmse"]["value"]);
  EXPECT_EQ(usual["nfe"]["value"], 1);
  EXPECT_EQ(searched["nfe"]["value"], 2) << "three a step, and one for the frame inside";
  EXPECT_EQ(usual["trust"]["rank_correlation"]["doubt"], searched["trust"]["rank_correlation"]["doubt"]);
  EXPECT_EQ(usual["trust"]["search"]["evaluations"], 3 * usual["trust"]["search"]["steps"].get<int>());
  EXPECT_FALSE(searched["trust"].contains("search")) << "gcs knows";
  expect({"evaluate", run_, "--protocol", "forecast"}, 0, "gcs would have made ");
}

TEST_F(EvaluateVerb, KeepsCalibrationsOfDifferentSolversApart) {
  expect({"evaluate", run_, "--calibrate", "--score", "step_doubling"}, 0, "2 evaluations for each step and");
  expect(rollout({"--coverage", "0.8"}), 0, "by step_doubling, measured in a second pass: ");
  expect({"evaluate", run_, "--calibrate"}, 0, "with euler, by its rupture");
  expect({"evaluate", run_, "--calibrate", "--solver", "gcs"}, 0, "with gcs, by its rupture");
  expect(rollout({"--coverage", "0.8"}), 5, "make it with: ");
  expect(rollout({"--coverage", "0.8", "--solver", "gcs"}), 0, "at most ");
}

// A run from before the default was euler: its run file names gcs, which keeps its calibration in force.
TEST_F(EvaluateVerb, KeepsTheSolverAndTheCalibrationOfARunFromBefore) {
  const std::string before = scratch_.path("before"), file = before + "/best.calibration.toml";
  auto toml = replaced(testing_support::tiny_run(data_), "\"0:8\"", "\"0:4\"");
  testing_support::run(replaced(toml, "\"8:9\"", "\"4:9\"") + "\nsolver.name = \"gcs\"\n", before);
  expect({"evaluate", before, "--calibrate"}, 0, "with gcs, by its rupture");
  expect({"rollout", before, "--samples", "9", "--coverage", "0.8", "--out", out_}, 0, "at most ");
  expect({"evaluate", before, "--protocol", "direct", "--json"}, 0, R"(name = \"gcs\")");
}

TEST_F(EvaluateVerb, RefusesErrorBarsThatWouldNotHold) {
  ASSERT_EQ(testing_support::run(scratch_, {"evaluate", run_, "--calibrate"}).code, 0);
  expect(rollout({"--coverage", "0.9"}), 2, "at least 9 validation trajectories, and this one has 5");
  expect(rollout({"--coverage", "1.5"}), 2, "1.5 is not between 0 and 1");
  expect(rollout({"--coverage", "0.8", "--set", "solver.steps=2"}), 5, "'steps = 1', not 'steps = 2'");
  expect(rollout({"--coverage", "0.8", "--until", "9"}), 0, "no error bar beyond");
  auto model = model::load(run_ + "/best");
  model.spec.provenance["note"] = "changed";
  model::save(model, run_ + "/best");
  expect(rollout({"--coverage", "0.8"}), 5, "was made for another checkpoint");
  files::write_atomically(file_, "format = 1\nratios = [");
  expect(rollout({"--coverage", "0.8"}), 5, "best.calibration.toml: line ");
}

TEST_F(EvaluateVerb, RefusesEachMistakeWithItsOwnCodeAndSentence) {
  expect({"evaluate", run_, "--split", "exam"}, 2, "exam");
  expect({"evaluate", run_, "--protocol", "sideways"}, 2, "sideways");
  expect({"evaluate", run_, "--solver", "eulr"}, 3, "did you mean 'euler'");
  expect({"evaluate", run_, "--samples", "3,10"}, 2, "--samples: 10 is outside 0..9");
  std::filesystem::remove(run_ + "/best/normalizer.safetensors");
  expect({"evaluate", run_}, 5, "normalizer.safetensors: the file is missing");
}

TEST_F(EvaluateVerb, NoticesThatTheRunsDataHaveChanged) {
  const Words plain{"evaluate", run_, "--protocol", "direct"};
  const auto with = [&](Words more) {
    more.insert(more.begin(), plain.begin(), plain.end());
    return more;
  };
  expect(plain, 0, "1 samples of");
  const Words anew{"data", "generate", "pendulum", "--out",  data_, "--samples",
                   "10",   "--frames", "33",       "--seed", "1",   "--overwrite"};
  ASSERT_EQ(testing_support::run(scratch_, anew).code, 0);
  const std::string told = data_ + ": has changed since the model was trained on it";
  expect(plain, 4, told + ", so its samples may be others; bring the old file back, or give --changed-data");
  expect(with({"--samples", "3"}), 4, told);
  expect(with({"--changed-data"}), 0, told);
  expect(with({"--data", data_}), 0, "10 samples of");
  expect({"evaluate", run_, "--calibrate", "--changed-data"}, 4,
         "is not the file that the model was trained on");
}

TEST_F(EvaluateVerb, FindsTheModelsChannelsByTheirNames) {
  const std::string turned = scratch_.path("turned.h5");
  ASSERT_EQ(
      testing_support::run(scratch_, {"data", "convert", data_, turned, "--channels", "velocity,angle"}).code,
      0);
  const auto numbers = [&](const std::string& file) {
    const auto ran = testing_support::run(scratch_, {"evaluate", run_, "--data", file, "--out",
                                                     scratch_.path("e"), "--samples", "9", "--overwrite"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    const std::string csv = files::read_whole(scratch_.path("e.csv"));
    return csv.substr(0, csv.find("seconds_per_frame"));  // but for the time that it took
  };
  EXPECT_EQ(numbers(turned), numbers(data_));
  expect({"evaluate", run_, "--data", turned, "--channels", "angle"}, 2,
         "the model has 2 channels, angle, velocity");
  const std::string other = scratch_.path("other.h5");
  ASSERT_EQ(testing_support::run(scratch_, {"data", "generate", "lotka_volterra", "--out", other, "--samples",
                                            "2", "--frames", "3"})
                .code,
            0);
  expect({"evaluate", run_, "--data", other}, 4,
         "but the model was trained on angle, velocity; --channels says");
}

}  // namespace
}  // namespace cvf::evaluate
