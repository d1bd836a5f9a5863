// A file of one's own to a report in three commands, each in a process of its own.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/files.hpp"
#include "data/source.hpp"
#include "support/archives.hpp"
#include "support/has.hpp"
#include "support/train_command.hpp"

namespace cvf {
namespace {

namespace fs = std::filesystem;
using testing_support::has;
using testing_support::Program;
using testing_support::Ran;
using testing_support::Scratch;

// The program with these words, started in the scratch folder.
class FirstContact : public testing::Test {
 protected:
  Ran cvf(const std::string& words) {
    const std::string line = fmt::format("cd '{}' && exec '{}' {}", scratch_.path(""), CVF_PROGRAM, words);
    return Program(scratch_, {"-c", line}, "/bin/sh").wait();
  }
  void generate() { ASSERT_EQ(cvf("data generate pendulum --out mine.h5 --samples 40 --frames 17").code, 0); }
  nlohmann::json evaluation() {
    return nlohmann::json::parse(files::read_whole(scratch_.path("runs/mine/evaluation.json")));
  }
  Scratch scratch_;
};

TEST_F(FirstContact, ThreeAxesAreShownAndNotTrainedOn) {
  files::write_atomically(
      scratch_.path("box.npy"),
      testing_support::npy("<f4", "(4, 5, 2, 3, 4, 1)", testing_support::counting<float>(480)));
  files::write_atomically(scratch_.path("box.toml"),
                          "[data]\nfile = \"box.npy\"\naxes = \"n,t,z,y,x,c\"\ndt = 0.1\n");
  const std::string axes = " --axes n,t,z,y,x,c --dt 0.1";
  const Ran shown = cvf("data inspect box.npy" + axes);
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_TRUE(has(shown.out, "2 x 3 x 4 (z x y x x)")) << shown.out;
  for (const std::string& words : {std::string("train box.toml"), "init box.npy --out other.toml" + axes,
                                   "data picture box.npy --out box.png" + axes}) {
    const Ran ran = cvf(words);
    EXPECT_EQ(ran.code, 4) << words;
    EXPECT_TRUE(has(ran.err, "box.npy: its states are on 2 x 3 x 4 (z x y x x)")) << words << ": " << ran.err;
  }
  for (const auto* made : {"runs", "other.toml", "box.png"})
    EXPECT_FALSE(fs::exists(scratch_.path(made))) << made;
}

TEST_F(FirstContact, InitTrainReport) {
  generate();
  Ran ran = cvf("init mine.h5");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "cvf train mine.toml && cvf report mine")) << ran.out;
  ran = cvf("init mine.h5");
  EXPECT_EQ(ran.code, 4);
  EXPECT_TRUE(has(ran.err, "mine.toml: exists already")) << ran.err;
  ran = cvf("train mine.toml --set train.steps=20");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.err, "next: cvf report runs/mine")) << ran.err;
  EXPECT_EQ(evaluation()["origin"]["sample_count"], "4");
  EXPECT_EQ(evaluation()["origin"]["samples"], "test");
  EXPECT_EQ(data::open(scratch_.path("runs/mine/evaluation.time_informed.h5"))->description().samples, 3U);
  ran = cvf("report mine");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const std::string page = files::read_whole(scratch_.path("runs/mine/report.html"));
  EXPECT_FALSE(has(page, "No evaluation")) << "the report is complete";
  EXPECT_TRUE(has(page, "\"within_frames\""));
}

TEST_F(FirstContact, TheEvaluationBelongsToTheRun) {
  generate();
  ASSERT_EQ(cvf("init mine.h5").code, 0);
  const std::string train = "train mine.toml --set train.steps=20 --set evaluation.samples=2";
  ASSERT_EQ(cvf(train).code, 0);
  const auto first = evaluation();
  EXPECT_EQ(first["origin"]["sample_count"], "2");
  // Once more: nothing to train, nothing to evaluate. Without its evaluation it makes that alone.
  files::write_atomically(scratch_.path("runs/mine/evaluation.csv"), "kept");
  ASSERT_EQ(cvf(train).code, 0);
  EXPECT_EQ(files::read_whole(scratch_.path("runs/mine/evaluation.csv")), "kept");
  fs::remove(scratch_.path("runs/mine/evaluation.json"));
  ASSERT_EQ(cvf(train).code, 0);
  EXPECT_EQ(evaluation()["origin"]["checkpoint_sha256"], first["origin"]["checkpoint_sha256"]);
  // Anew and without: the old one is gone.
  const Ran ran = cvf(train + " --overwrite --set evaluation.samples=0");
  ASSERT_EQ(ran.code, 0) << ran.err;
  for (const auto* name : {"evaluation.json", "evaluation.csv", "evaluation.time_informed.h5"})
    EXPECT_FALSE(fs::exists(scratch_.path(std::string("runs/mine/") + name))) << name;
}

TEST_F(FirstContact, TheRunKnowsItsFile) {
  // A plain array, whose axes and spacing were said once.
  ASSERT_EQ(cvf("data generate pendulum --out made.h5 --samples 20 --frames 9").code, 0);
  const auto source = data::open(scratch_.path("made.h5"));
  std::string values;
  for (std::size_t n = 0; n < 20; ++n) {
    std::vector<float> all(9 * 2);
    source->read(n, 0, 9, all);
    values.append(reinterpret_cast<const char*>(all.data()), all.size() * sizeof(float));
  }
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (20, 9, 2), }";
  header.resize(117, ' ');
  files::write_atomically(scratch_.path("mine.npy"),
                          std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + values);
  Ran ran = cvf("init mine.npy --axes n,t,c --dt 0.25");
  ASSERT_EQ(ran.code, 0) << ran.err;
  ASSERT_EQ(cvf("train mine.toml --set train.steps=20").code, 0);
  ran = cvf("rollout mine --until 3 --out forecast.h5");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto forecast = data::open(scratch_.path("forecast.h5"));
  EXPECT_EQ(forecast->description().samples, 2U) << "the test samples";
  EXPECT_EQ(forecast->scalars(0).at("source_sample"), 18);
  const auto times = forecast->times(0);
  EXPECT_NEAR(times.at(1), 0.25, 1e-6);
  EXPECT_NEAR(times.back(), 3, 1e-6);
  ran = cvf("rollout mine --split validation --out v.h5");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(data::open(scratch_.path("v.h5"))->scalars(0).at("source_sample"), 16);
  EXPECT_EQ(cvf("evaluate mine").code, 0);
}

TEST_F(FirstContact, ForecastsFarBeyondTheDataSaySoOnce) {
  generate();
  ASSERT_EQ(cvf("init mine.h5").code, 0);
  ASSERT_EQ(cvf("train mine.toml --set train.steps=20 --set evaluation.samples=0").code, 0);
  const double end = data::open(scratch_.path("mine.h5"))->times(0).back();
  Ran ran = cvf("rollout mine --out near.h5");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_FALSE(has(ran.err, "no error was ever measured")) << ran.err;
  ran = cvf(fmt::format("rollout mine --until {} --out far.h5", 3 * end));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto first = ran.err.find("no error was ever measured");
  EXPECT_NE(first, std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find("no error was ever measured", first + 1), std::string::npos) << ran.err;
}

TEST_F(FirstContact, TheHintOfACalibrationCanBeFollowed) {
  generate();
  ASSERT_EQ(cvf("init mine.h5").code, 0);
  ASSERT_EQ(cvf("train mine.toml --set train.steps=20 --set evaluation.samples=0").code, 0);
  Ran ran = cvf("evaluate mine --calibrate --solver gcs --set solver.slack=1");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto hint = ran.out.find("Next: cvf ");
  ASSERT_NE(hint, std::string::npos) << ran.out;
  const std::string next = ran.out.substr(hint + 10, ran.out.find('\n', hint) - hint - 10);
  EXPECT_TRUE(has(next, "--coverage 0.8")) << next << ": 4 validation samples allow no more";
  ran = cvf(next);
  EXPECT_EQ(ran.code, 0) << next << ": " << ran.err;
  EXPECT_TRUE(has(ran.out, "error bars at a coverage of 0.8")) << ran.out;
}

TEST_F(FirstContact, AFileThatNobodyCanReadAloneIsAnsweredWithWhatIsMissing) {
  files::write_atomically(scratch_.path("mine.npy"), "nonsense");
  EXPECT_EQ(cvf("init mine.npy").code, 4);
  EXPECT_FALSE(fs::exists(scratch_.path("mine.toml")));
}

}  // namespace
}  // namespace cvf
