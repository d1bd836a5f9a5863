// Persistence and the mean state against closed forms, and what the record keeps of them.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/files.hpp"
#include "data/groups_format.hpp"
#include "evaluate/record.hpp"
#include "support/has.hpp"
#include "support/memory_source.hpp"
#include "support/program.hpp"
#include "support/training.hpp"

namespace cvf::evaluate {
namespace {

using testing_support::has;
using testing_support::MemorySource;
using testing_support::Scratch;

// Sample s, frame k: the first channel is s + k, the second one stays at 7.
float ramp(std::size_t sample, std::size_t frame, std::size_t index) {
  return index == 0 ? static_cast<float>(sample + frame) : 7.0F;
}

class BaselinesOfARamp : public testing::Test {
 protected:
  MemorySource source_{{4, 4, 4, 3}, 1, 1, {"angle", "velocity"}, ramp};
  const metrics::Setting setting_{"", state_of({"angle", "velocity"})};
  const std::vector<std::size_t> training_{0, 2}, test_{1, 3};

  std::vector<Baseline> results(const std::string& metric, bool one_step, const MeanState& mean) {
    const std::vector<std::string> names{metric};
    Baselines baselines(names, setting_, mean, one_step);
    TruthReader reader(source_, {});
    baselines.add(reader.read(test_));
    return baselines.results();
  }
};

TEST_F(BaselinesOfARamp, PersistenceKeepsTheFirstStateOrTheOneBefore) {
  const auto mean = mean_of_samples(source_, training_);
  const auto rolled = results("rollout_rmse", false, mean).at(0);
  EXPECT_EQ(rolled.name, "persistence");
  const auto& score = rolled.scores.at(0);  // off by k in one channel of two, at frames 1, 2 and 3
  EXPECT_DOUBLE_EQ(*score.value, std::sqrt((1.0 + 4 + 9) / 3 / 2));
  EXPECT_DOUBLE_EQ(score.per_frame.at(2).second, std::sqrt(9.0 / 2));
  EXPECT_EQ(score.parts.at(0).first, "angle");
  EXPECT_DOUBLE_EQ(score.parts.at(0).second, std::sqrt(14.0 / 3));
  EXPECT_EQ(score.parts.at(1).second, 0);
  const auto step = results("step_rmse", true, mean).at(0).scores.at(0);
  EXPECT_DOUBLE_EQ(*step.value, std::sqrt(0.5)) << "off by 1 in one channel of two, always";
}

// Samples 0 and 2 have the angles 0 1 2 3 and 2 3 4 5: 2.5. Sample 1 has 2 3 4 and sample 3 has 4 5 at
// frames 1...
TEST_F(BaselinesOfARamp, TheMeanStateIsThatOfTheTrainingSamplesAlone) {
  const auto mean = mean_of_samples(source_, training_);
  EXPECT_DOUBLE_EQ(mean.value.view(-1)[0].item<double>(), 2.5);
  EXPECT_DOUBLE_EQ(mean.value.view(-1)[1].item<double>(), 7);
  EXPECT_EQ(mean.about, "mean over the states of 2 training samples");
  const auto found = results("rollout_rmse", false, mean).at(1);
  EXPECT_EQ(found.name, "mean_state");
  EXPECT_EQ(found.about, mean.about);
  const double first = (0.25 + 2.25) / 2, second = (0.25 + 6.25) / 2, third = 2.25;
  EXPECT_DOUBLE_EQ(*found.scores.at(0).value, std::sqrt((first + second + third) / 3 / 2));
}

TEST(MeanState, OfAFieldIsAFieldAndOfManySamplesIsReadFromSome) {
  const MemorySource source(std::vector<std::size_t>(1000, 2), 2, 3, {"u"},
                            [](std::size_t, std::size_t frame, std::size_t index) {
                              return static_cast<float>(10 * index + 2 * frame);
                            });
  std::vector<std::size_t> all(1000);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const auto mean = mean_of_samples(source, all);
  EXPECT_EQ(mean.about, "mean over the states of 256 training samples");
  ASSERT_EQ(mean.value.sizes(), (std::vector<std::int64_t>{1, 1, 2, 3}));
  for (std::int64_t i = 0; i < 6; ++i)
    EXPECT_DOUBLE_EQ(mean.value.view(-1)[i].item<double>(), 10.0 * static_cast<double>(i) + 1);
}

// A pendulum's model as cvf evaluate looks at it.
class EvaluateRecord : public testing::Test {
 protected:
  Scratch scratch_;
  std::string data_ = scratch_.path("data.h5"), run_ = scratch_.path("run"), out_ = scratch_.path("e");

  void SetUp() override { testing_support::run(testing_support::tiny_run(data_), run_); }
  nlohmann::json record(std::vector<std::string> words) {
    words.insert(words.begin(), {"evaluate", run_, "--out", out_, "--overwrite"});
    const auto ran = testing_support::run(scratch_, words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    said_ = ran.out;
    return nlohmann::json::parse(files::read_whole(out_ + ".json"));
  }
  std::string said_;
};

TEST_F(EvaluateRecord, HoldsBaselinesChannelsTimesAndTheMachine) {
  const auto json = record({});
  for (const auto* part : {"time_informed", "direct"}) {
    const auto& persistence = json[part]["baselines"]["persistence"];
    EXPECT_GT(persistence["rollout_rmse"]["value"], 0);
    EXPECT_EQ(persistence["rollout_rmse"]["per_frame"].size(),
              json[part]["rollout_rmse"]["per_frame"].size());
    EXPECT_EQ(persistence, json["direct"]["baselines"]["persistence"]) << "it has no solver, so no protocol";
    EXPECT_TRUE(json[part]["rollout_rmse"]["parts"].contains("velocity"));
    EXPECT_EQ(json[part]["baselines"]["mean_state"]["about"], "mean over the states of 8 training samples");
  }
  EXPECT_EQ(json["frames"]["time"].size(), 33U);
  EXPECT_NEAR(json["frames"]["time"][32].get<double>(), 3.2, 1e-5);
  EXPECT_TRUE(json["frames"]["training"].is_array());
  EXPECT_FALSE(json["origin"]["machine"].get<std::string>().empty());
  EXPECT_EQ(json["origin"]["date"].get<std::string>().size(), 10U);
  EXPECT_TRUE(has(said_, "persistence")) << said_;
  EXPECT_TRUE(has(said_, ": angle ")) << said_;
  const std::string csv = files::read_whole(out_ + ".csv");
  EXPECT_TRUE(has(csv, "direct,persistence.rollout_rmse.angle,")) << csv;
  EXPECT_TRUE(has(csv, "one_step,mean_state.step_rmse,")) << csv;
}

TEST_F(EvaluateRecord, TakesTheNormalizersMeanForAFileThatIsNotTheRuns) {
  const auto json = record({"--data", data_, "--samples", "9"});
  EXPECT_EQ(json["direct"]["baselines"]["mean_state"]["about"],
            "mean of each channel as the model's normalizer keeps it");
  EXPECT_FALSE(json["frames"].contains("training")) << "another file may have other frames";
}

// The frames that were scored are the frames that are kept: their mean square error is the score's.
TEST_F(EvaluateRecord, KeepsTheForecastsThatItScored) {
  const auto refused = testing_support::run(scratch_, {"evaluate", run_, "--keep", "1"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(has(refused.err, "--keep 1: forecasts are written beside the scores; give --out NAME"));
  const auto json = record({"--keep", "1", "--samples", "9,3", "--every", "4"});
  const auto truth = data::open(data_);
  for (const std::string protocol : {"time_informed", "direct"}) {
    const auto kept = data::open(out_ + "." + protocol + ".h5");
    ASSERT_EQ(kept->description().samples, 1U);
    EXPECT_EQ(kept->scalars(0).at("source_sample"), 9);
    EXPECT_EQ(kept->description().attributes.at("protocol"), protocol);
    ASSERT_EQ(kept->times(0).size(), 9U);
    std::vector<float> ours(18), all(66);
    kept->read(0, 0, 9, ours);
    truth->read(9, 0, 33, all);
    const auto alone = record({"--samples", "9", "--every", "4", "--protocol", protocol});
    for (const auto& pair : alone[protocol]["rollout_rmse"]["per_frame"]) {
      const auto k = pair[0].get<std::size_t>();
      const double a = ours[2 * k] - all[8 * k], b = ours[2 * k + 1] - all[8 * k + 1];
      EXPECT_NEAR(std::sqrt((a * a + b * b) / 2), pair[1].get<double>(), 1e-5 * pair[1].get<double>());
    }
  }
  const auto steps = data::read_small_array(out_ + ".direct.h5", 0, "steps", "time");
  EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end())) << "of one solve, the one to the last frame";
}

}  // namespace
}  // namespace cvf::evaluate
