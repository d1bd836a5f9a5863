// `cvf rollout` as a user runs it, on a model with random weights.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/text.hpp"
#include "data/hdf5.hpp"
#include "data/source.hpp"
#include "model/trained_model.hpp"
#include "support/archives.hpp"
#include "support/has.hpp"
#include "support/program.hpp"

namespace cvf::rollout {
namespace {

using testing_support::has;
using testing_support::Ran;
using testing_support::run;
using testing_support::Scratch;

class RolloutVerb : public testing::Test {
 protected:
  void SetUp() override {
    const Ran ran = run(scratch_, {"data", "generate", "wave", "--out", data_, "--samples", "3", "--grid",
                                   "12x8", "--frames", "5", "--spacing", "0.1"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    const auto source = data::open(data_);
    model::ModelSpec spec = model::from_toml(
        "[state]\nny = 8\nnx = 12\ndt_ref = 0.2\ndelta_min = 0.1\nlargest_dt = 0.2\n"
        "channels = [" +
            names_of(source->description().channels()) +
            "]\n"
            "[field]\nname = \"sit\"\npatch = 4\nwidth = 16\ndepth = 1\nheads = 2\n",
        "test");
    model::TrainedModel model = model::build(spec, 3);
    model.run_toml = "[objective]\nname = \"cvf\"\n";
    model::save(model, scratch_.path("run/last"));
  }

  static std::string names_of(const std::vector<std::string>& channels) {
    std::string out;
    for (const auto& channel : channels) out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", channel);
    return out;
  }

  Ran rollout(std::vector<std::string> more) const {
    std::vector<std::string> words{"rollout", scratch_.path("run"), "--data", data_, "--out", out_};
    words.insert(words.end(), more.begin(), more.end());
    return run(scratch_, words);
  }

  Scratch scratch_;
  std::string data_ = scratch_.path("wave.h5"), out_ = scratch_.path("forecast.h5");
};

TEST_F(RolloutVerb, TakesModelsInDoublePrecisionToLibTorch) {
  const auto values = [&] {
    const auto forecast = data::open(out_);
    std::vector<float> out(forecast->times(0).size() * forecast->description().frame_size());
    forecast->read(0, 0, forecast->times(0).size(), out);
    return out;
  };
  Ran ran = rollout({"--samples", "1"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto single = values();
  auto model = model::load(scratch_.path("run/last"));
  model.spec.precision = "float64";
  model.field->to(torch::kDouble);
  model::save(model, scratch_.path("run/last"));
  ran = rollout({"--samples", "1", "--overwrite"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto twice = values();
  ASSERT_EQ(single.size(), twice.size());
  for (std::size_t i = 0; i < single.size(); ++i) EXPECT_NEAR(single[i], twice[i], 1e-4);
  ran = run(scratch_, {"evaluate", scratch_.path("run"), "--data", data_, "--samples", "1"});
  EXPECT_EQ(ran.code, 0) << ran.err;
}

TEST_F(RolloutVerb, ReadsAnotherFileOfArraysAsTheRunsOwn) {
  const auto channels = data::open(data_)->description().channels();
  const std::size_t values = 3 * 5 * 8 * 12 * channels.size();
  const auto array = testing_support::npy("<f4", fmt::format("(3, 5, 8, 12, {})", channels.size()),
                                          std::string(4 * values, 0));
  const auto plane = testing_support::npy("<f4", "(2, 3)", std::string(24, 0));
  data_ = scratch_.path("other.npz");
  files::write_atomically(data_, testing_support::zip({{"u.npy", array}, {"v.npy", plane}}, false));
  std::vector<std::string> more{"--channels", "c0"};
  for (std::size_t c = 1; c < channels.size(); ++c) more.back() += fmt::format(",c{}", c);
  EXPECT_TRUE(has(rollout(more).err, "has several arrays; give --dataset and --axes"));
  auto model = model::load(scratch_.path("run/last"));
  const auto trained_on = [&](const std::string& dataset) {
    model.run_toml = fmt::format(
        "[objective]\nname = \"cvf\"\n[data]\nfile = \"gone.npz\"\ndataset = \"{}\"\naxes = "
        "\"n,t,y,x,c\"\ndt = 0.1\n",
        dataset);
    model::save(model, scratch_.path("run/last"));
    return rollout(more);
  };
  EXPECT_TRUE(has(trained_on("v").err, "has several arrays; give --dataset and --axes"))
      << "two axes, not five";
  const Ran ran = trained_on("u");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.err, "other.npz: read as the run's own file: dataset u, axes n,t,y,x,c")) << ran.err;
  EXPECT_NEAR(data::open(out_)->times(0).back(), 0.4, 1e-9) << "frames as far apart as the run's";
}

TEST_F(RolloutVerb, WritesAForecastThatReadsLikeData) {
  Ran ran = rollout({"--samples", "1:3", "--until", "0.6", "--set", "solver.slack=1"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.err, "2 samples, 14 frames")) << ran.err;
  const auto forecast = data::open(out_), source = data::open(data_);
  EXPECT_EQ(forecast->description().channels(), source->description().channels());
  ASSERT_EQ(forecast->times(0).size(), 7U) << "the file's times to 0.4, then on at its spacing";
  EXPECT_NEAR(forecast->times(0).back(), 0.6, 1e-9);
  std::vector<float> ours(source->description().frame_size()), theirs(ours.size());
  forecast->read(0, 0, 1, ours);
  source->read(1, 0, 1, theirs);
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], theirs[i], 1e-5) << "the given frame";
  EXPECT_EQ(forecast->scalars(0).at("source_sample"), 1);
  EXPECT_EQ(forecast->scalars(0).at("status"), 0);
  const auto root = data::hdf5::File::open(out_).root();
  const auto steps = root.dataset("0000/steps/step").read_all(),
             nre = root.dataset("0000/steps/nre").read_all();
  EXPECT_EQ(steps.size(), nre.size());
  EXPECT_NEAR(std::accumulate(steps.begin(), steps.end(), 0.0), 0.6, 1e-9);
  EXPECT_EQ(root.dataset("0000/frames/evaluations").read_all().size(), 7U);
  ran = run(scratch_, {"data", "inspect", out_});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "7 frames = 6 steps")) << ran.out;
}

TEST_F(RolloutVerb, MarksFramesFarOutsideOfTraining) {
  Ran ran = rollout({"--samples", "1:3"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_FALSE(has(ran.err, "outside of training")) << ran.err;
  EXPECT_EQ(data::open(out_)->scalars(0).at("status"), 0) << "a model without ranges";
  auto model = model::load(scratch_.path("run/last"));
  const auto channels = model.spec.state.names();
  model.spec.state.lowest.assign(channels.size(), 400);
  model.spec.state.highest.assign(channels.size(), 401);
  model::save(model, scratch_.path("run/last"));
  ran = rollout({"--samples", "1:3", "--overwrite"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.err, "sample 1: outside of training at time 0: " + channels[0])) << ran.err;
  EXPECT_TRUE(has(ran.err, "where training had 400 to 401")) << ran.err;
  EXPECT_EQ(data::open(out_)->scalars(0).at("status"), 6);
  const auto root = data::hdf5::File::open(out_).root();
  const auto names = text::split(root.text("status_names").value(), ',');
  ASSERT_EQ(names.size(), 7U);
  EXPECT_EQ(names[6], " outside training");
  for (const double status : root.dataset("0000/frames/status").read_all()) EXPECT_EQ(status, 6);
}

TEST_F(RolloutVerb, TakesOtherSolversAndTimes) {
  Ran ran = rollout({"--times", "0.15,0.5", "--solver", "dopri5", "--set", "solver.rtol=1e-2"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(data::open(out_)->times(2).size(), 3U);
  ran = rollout({"--times", "0.2"});
  EXPECT_EQ(ran.code, 4);
  EXPECT_TRUE(has(ran.err, "exists already")) << ran.err;
}

TEST_F(RolloutVerb, RefusesEachMistakeWithItsOwnCodeAndSentence) {
  const auto expect = [&](std::vector<std::string> more, int code, const std::string& words) {
    const Ran ran = rollout(std::move(more));
    EXPECT_EQ(ran.code, code) << ran.err;
    EXPECT_TRUE(has(ran.err, words)) << ran.err;
    EXPECT_FALSE(std::filesystem::exists(out_));
  };
  expect({"--times", "0.5,0.2"}, 4, "targets must increase");
  expect({"--times", "0.5,0.5"}, 4, "is there twice");
  expect({"--from", "2", "--times", "0.1"}, 4, "lies before its start");
  expect({"--solver", "euler2"}, 3, "euler");
  expect({"--set", "solver.slak=1"}, 3, "slack");
  expect({"--set", "solver.max_step=0.01"}, 3, "below delta_min");
  expect({"--samples", "2:9"}, 2, "--samples");
  expect({"--until", "-1"}, 2, "starts at 0");
  const std::string other = scratch_.path("other.h5");
  ASSERT_EQ(run(scratch_, {"data", "generate", "wave", "--out", other, "--samples", "1", "--grid", "16x8",
                           "--frames", "2"})
                .code,
            0);
  Ran ran = run(scratch_, {"rollout", scratch_.path("run"), "--data", other, "--out", out_});
  EXPECT_EQ(ran.code, 4);
  EXPECT_TRUE(has(ran.err, "grid of 8 x 16")) << ran.err;
  ASSERT_EQ(
      run(scratch_, {"data", "generate", "lorenz", "--out", other, "--samples", "1", "--overwrite"}).code, 0);
  ran = run(scratch_, {"rollout", scratch_.path("run"), "--data", other, "--out", out_});
  EXPECT_EQ(ran.code, 4);
  EXPECT_TRUE(has(ran.err, "channels x, y, z")) << ran.err;
  std::filesystem::remove(scratch_.path("run/last/weights.safetensors"));
  ran = rollout({});
  EXPECT_EQ(ran.code, 5);
  EXPECT_TRUE(has(ran.err, "weights.safetensors")) << ran.err;
}

TEST_F(RolloutVerb, FindsTheModelsChannelsByTheirNames) {
  ASSERT_EQ(rollout({}).code, 0);
  const std::string turned = scratch_.path("turned.h5"), again = scratch_.path("again.h5");
  auto names = data::open(data_)->description().channels();
  ASSERT_EQ(names.size(), 2U);
  Ran ran = run(scratch_, {"data", "convert", data_, turned, "--channels", names[1] + "," + names[0]});
  ASSERT_EQ(ran.code, 0) << ran.err;
  ran = run(scratch_, {"rollout", scratch_.path("run"), "--data", turned, "--out", again});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.err, "they are put into the order of the model, " + names[0] + ", " + names[1]))
      << ran.err;
  const auto first = data::open(out_), second = data::open(again);
  EXPECT_EQ(second->description().channels(), names);
  std::vector<float> ours(first->description().frame_size()), theirs(ours.size());
  first->read(2, 4, 1, ours);
  second->read(2, 4, 1, theirs);
  EXPECT_EQ(ours, theirs);
  ran = run(scratch_, {"rollout", scratch_.path("run"), "--data", turned, "--out", again, "--overwrite",
                       "--channels", names[1]});
  EXPECT_EQ(ran.code, 2) << ran.err;
}

TEST_F(RolloutVerb, DoesNotWriteOverWhatItReads) {
  const std::string before = files::read_whole(data_);
  std::filesystem::create_symlink(data_, scratch_.path("soft.h5"));
  std::filesystem::create_hard_link(data_, scratch_.path("hard.h5"));
  std::filesystem::copy_file(data_, scratch_.path("x.h5.part"));
  const auto expect = [&](const std::string& data, const std::string& out, const std::string& words) {
    const Ran ran =
        run(scratch_, {"rollout", scratch_.path("run"), "--data", data, "--out", out, "--overwrite"});
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_TRUE(has(ran.err, words)) << ran.err;
    EXPECT_EQ(files::read_whole(data_), before);
  };
  for (const auto& name : {data_, scratch_.path("soft.h5"), scratch_.path("hard.h5")})
    expect(data_, name, "is a file that this command reads");
  expect(scratch_.path("x.h5.part"), scratch_.path("x.h5"), "x.h5.part: is a file that this command reads");
  EXPECT_EQ(files::read_whole(scratch_.path("x.h5.part")), before);
  expect(data_, scratch_.path("run/last/model.toml"), "belongs to a model");
}

TEST_F(RolloutVerb, RefusesAForecastThatFitsNowhere) {
  for (const char* until : {"1e300", "1e12"}) {
    const Ran ran = rollout({"--until", until});
    EXPECT_EQ(ran.code, 4) << ran.err;
    EXPECT_TRUE(has(ran.err, "forecast.h5: 3 samples with ")) << ran.err;
    EXPECT_TRUE(has(ran.err, "are available; fewer samples or frames would fit")) << ran.err;
  }
  const Ran ran = rollout({"--until", "inf"});
  EXPECT_EQ(ran.code, 2) << ran.err;
  EXPECT_TRUE(has(ran.err, "--until: inf is not a finite number")) << ran.err;
}

// One frame, very far away: the solve is where the signal must be heard. Left alone it would give up and end
// with code 0.
TEST_F(RolloutVerb, ASignalStopsALongSolveAndLeavesNothing) {
  testing_support::Program program(scratch_, {"rollout", scratch_.path("run"), "--data", data_, "--out", out_,
                                              "--times", "1e6", "--solver", "euler"});
  for (int i = 0; i < 6000 && !std::filesystem::exists(out_ + ".journal"); ++i) usleep(10'000);
  program.send(SIGTERM);
  const Ran ran = program.wait();
  EXPECT_EQ(ran.code, 8) << ran.err;
  EXPECT_TRUE(has(ran.err, "interrupted; no forecast was written")) << ran.err;
  for (const char* ending : {"", ".part", ".journal"})
    EXPECT_FALSE(std::filesystem::exists(out_ + ending)) << ending;
}

}  // namespace
}  // namespace cvf::rollout
