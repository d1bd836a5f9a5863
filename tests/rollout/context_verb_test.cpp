// `cvf rollout` of a model that takes parameters and a control: the samples' own, or given ones.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/files.hpp"
#include "data/groups_writer.hpp"
#include "data/hdf5.hpp"
#include "data/source.hpp"
#include "model/trained_model.hpp"
#include "support/has.hpp"
#include "support/program.hpp"

namespace cvf::rollout {
namespace {

using testing_support::has;
using testing_support::Ran;
using testing_support::run;
using testing_support::Scratch;

class RolloutInContext : public testing::Test {
 protected:
  void SetUp() override {
    const Ran ran = run(scratch_, {"data", "generate", "duffing", "--out", data_, "--samples", "3",
                                   "--frames", "5", "--set", "system.alpha_range=[0.5,2.0]"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    const auto spec = model::from_toml(
        "[state]\ndt_ref = 0.2\ndelta_min = 0.1\nlargest_dt = 0.2\nchannels = ['position', 'velocity']\n"
        "[context.parameters]\nnames = ['alpha']\nmean = [1.0]\ndeviation = [0.5]\nlowest = [0.5]\n"
        "highest = [2.0]\n"
        "[context.controls]\nnames = ['force']\nmean = [0.0]\ndeviation = [0.5]\n"
        "[field]\nname = 'mlp'\nwidth = 16\ndepth = 1\n",
        "test");
    model::TrainedModel model = model::build(spec, 3);
    const torch::NoGradGuard no_gradients;  // the last layers begin at zero: every weight gets a say
    torch::manual_seed(1);
    for (auto& weights : model.field->parameters()) weights.add_(0.1 * torch::randn_like(weights));
    model.run_toml = "[objective]\nname = \"cvf\"\n";
    model::save(model, scratch_.path("run/last"));
    files::write_atomically(controls_, "t,force\n0,0\n0.25,1\n0.25,-1\n1,-1\n");
  }

  Ran rollout(std::vector<std::string> more) const {
    std::vector<std::string> words{"rollout", scratch_.path("run"), "--data", data_, "--out",
                                   out_,      "--overwrite"};
    words.insert(words.end(), more.begin(), more.end());
    return run(scratch_, words);
  }
  // The last frame of the first sample.
  std::vector<float> end() const {
    const auto forecast = data::open(out_);
    std::vector<float> out(2);
    forecast->read(0, forecast->times(0).size() - 1, 1, out);
    return out;
  }

  Scratch scratch_;
  std::string data_ = scratch_.path("duffing.h5"), out_ = scratch_.path("forecast.h5"),
              controls_ = scratch_.path("u.csv");
};

TEST_F(RolloutInContext, WritesTheContextOfEachSampleIntoTheForecast) {
  const Ran ran = rollout({"--samples", "1:3"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto forecast = data::open(out_), source = data::open(data_);
  EXPECT_EQ(forecast->description().state.names(Role::parameter), std::vector<std::string>{"alpha"});
  EXPECT_EQ(forecast->scalars(0).at("alpha"), source->scalars(1).at("alpha"));
  EXPECT_EQ(forecast->control(1, "force"), source->control(2, "force"));
  EXPECT_FALSE(has(ran.err, "extrapolates")) << ran.err;
}

TEST_F(RolloutInContext, GoesUnderGivenParametersAndControls) {
  ASSERT_EQ(rollout({}).code, 0);
  const auto own = end();
  ASSERT_EQ(rollout({"--parameter", "alpha=1.75"}).code, 0);
  const auto other_alpha = end();
  EXPECT_NE(other_alpha, own);
  EXPECT_EQ(data::open(out_)->scalars(2).at("alpha"), 1.75);
  const Ran ran = rollout({"--parameter", "alpha=1.75", "--controls", controls_, "--until", "0.8"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto forecast = data::open(out_);
  EXPECT_EQ(forecast->times(0).size(), 9U) << "beyond the file, as far as the control is known";
  EXPECT_EQ(forecast->control(0, "force").at(2), 0.8F);
  EXPECT_EQ(forecast->control(0, "force").back(), -1.0F);
  EXPECT_NE(end(), other_alpha);
  const auto root = data::hdf5::File::open(out_).root();
  EXPECT_EQ(root.dataset("0001/control_series/t").read_all(), (std::vector<double>{0, 0.25, 0.25, 1}));
  EXPECT_EQ(root.dataset("0001/control_series/force").read_all(), (std::vector<double>{0, 1, -1, -1}));
  const auto times = root.dataset("0000/steps/time").read_all();
  EXPECT_TRUE(std::find(times.begin(), times.end(), 0.25) != times.end()) << "a step begins at the jump";
}

TEST_F(RolloutInContext, TakesControlsFromHdf5AsFromCsv) {
  ASSERT_EQ(rollout({"--controls", controls_, "--until", "0.8", "--samples", "1"}).code, 0);
  const auto by_csv = end();
  const std::string series = scratch_.path("u.h5"), first = scratch_.path("first.h5");
  {
    auto file = data::hdf5::File::create(series);
    file.root().write_array("t", std::vector<double>{0, 0.25, 0.25, 1}, {data::hdf5::Element::float64});
    file.root().write_array("force", std::vector<double>{0, 1, -1, -1}, {data::hdf5::Element::float64});
    file.close();
  }
  std::filesystem::copy_file(out_, first);
  for (const auto& file : {series, first}) {
    const Ran ran = rollout({"--controls", file, "--until", "0.8", "--samples", "1"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(end(), by_csv) << file;
  }
  files::write_atomically(series, files::read_whole(series).substr(0, 600));
  const Ran ran = rollout({"--controls", series});
  EXPECT_EQ(ran.code, 4) << ran.err;
  EXPECT_TRUE(has(ran.err, "u.h5")) << ran.err;
}

// A control on the grid is a channel of the data; in the forecast, whose channels are those of the model, it
// stands beside them, and a forecast can begin from that file, too.
TEST_F(RolloutInContext, WritesControlFieldsIntoTheForecast) {
  const std::string file = scratch_.path("rain.h5"), run_folder = scratch_.path("wet"),
                    again = scratch_.path("again.h5");
  std::vector<float> rain;
  {
    data::GroupsPlan plan{state_of({"h", "rain"}, {{"y", 4, {0, 1, 2, 3}}, {"x", 6, {0, 1, 2, 3, 4, 5}}}),
                          {{0, 0.2, 0.4}},
                          {},
                          {}};
    plan.state.set_boundary("periodic");
    data::GroupsWriter writer(file, plan);
    for (std::size_t t = 0; t < 3; ++t) {
      std::vector<float> frame;
      for (std::size_t i = 0; i < 24; ++i) {
        frame.push_back(0.1F * static_cast<float>(i));
        frame.push_back(static_cast<float>(t) + 0.01F * static_cast<float>(i));
        rain.push_back(frame.back());
      }
      writer.write_frame(0, t, frame);
    }
    writer.finish_sample(0);
    writer.finish();
  }
  auto model = model::build(
      model::from_toml(
          "[state]\ndt_ref = 0.2\ndelta_min = 0.1\nlargest_dt = 0.2\nchannels = ['h']\nny = 4\nnx = 6\n"
          "boundary = 'periodic'\n[context.control_fields]\nnames = ['rain']\nmean = [0.0]\n"
          "deviation = [1.0]\n[field]\nname = 'conv'\nwidth = 8\ndilations = [1]\n",
          "test"),
      3);
  {
    const torch::NoGradGuard no_gradients;
    torch::manual_seed(1);
    for (auto& weights : model.field->parameters()) weights.add_(0.1 * torch::randn_like(weights));
  }
  model.run_toml = "[objective]\nname = \"cvf\"\n";
  model::save(model, run_folder + "/last");
  const auto forecast = [&](const std::string& from, const std::string& to,
                            const std::vector<std::string>& more) {
    std::vector<std::string> words{"rollout", run_folder, "--data", from, "--out", to};
    words.insert(words.end(), more.begin(), more.end());
    return run(scratch_, words);
  };
  Ran ran = forecast(file, out_, {"--times", "0.1,0.2,0.4"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto found = data::open(out_);
  EXPECT_EQ(found->description().channels(), std::vector<std::string>{"h"});
  EXPECT_EQ(found->description().state.names(Role::control_field), std::vector<std::string>{"rain"});
  const auto stored = found->control(0, "rain");
  ASSERT_EQ(stored.size(), 4 * 24U);
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_NEAR(stored[24 + i], (rain[i] + rain[24 + i]) / 2, 1e-6) << "between two frames of the file";
    EXPECT_EQ(stored[48 + i], rain[24 + i]);
    EXPECT_EQ(stored[72 + i], rain[48 + i]);
  }
  ran = forecast(out_, again, {});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto second = data::open(again);
  std::vector<float> one(24), other(24);
  found->read(0, 3, 1, one);
  second->read(0, 3, 1, other);
  for (std::size_t i = 0; i < 24; ++i) EXPECT_NEAR(one[i], other[i], 1e-5);
  EXPECT_EQ(second->control(0, "rain"), stored);
}

TEST_F(RolloutInContext, SaysOnceThatItExtrapolates) {
  const Ran ran = rollout({"--parameter", "alpha=2.5"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(
      has(ran.err, "sample 0: alpha = 2.5 (training: 0.5 to 2), and 2 more samples: the model extrapolates"))
      << ran.err;
}

TEST_F(RolloutInContext, AHeldOutRangeIsTestedAsExtrapolation) {
  const std::string file = scratch_.path("more.h5"), toml = scratch_.path("held.toml"),
                    run_folder = scratch_.path("held");
  ASSERT_EQ(run(scratch_, {"data", "generate", "duffing", "--out", file, "--samples", "12", "--frames", "5",
                           "--set", "system.alpha_range=[0.5,2.0]"})
                .code,
            0);
  files::write_atomically(toml,
                          fmt::format("[data]\nfile = '{}'\nparameters = ['alpha']\ncontrols = ['force']\n"
                                      "[split]\nhold_out = {{parameter = 'alpha', from = 1.25, to = 2.0}}\n"
                                      "[field]\nname = 'mlp'\nwidth = 16\ndepth = 1\n[loader]\nbatch = 4\n"
                                      "[train]\nsteps = 2\n[validation]\nsteps = -1\n",
                                      file));
  Ran ran = run(scratch_, {"train", toml, "--out", run_folder});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto highest = model::load(run_folder + "/last").spec.context.parameters.highest;
  ASSERT_EQ(highest.size(), 1U);
  EXPECT_LT(highest[0], 1.25);
  const std::string scores = scratch_.path("scores");
  ran =
      run(scratch_, {"evaluate", run_folder, "--protocol", "time_informed", "--out", scores, "--keep", "1"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.err, "the model extrapolates")) << ran.err;
  const auto kept = data::open(scores + ".time_informed.h5"), source = data::open(file);
  const auto sample = static_cast<std::size_t>(kept->scalars(0).at("source_sample"));
  EXPECT_EQ(kept->scalars(0).at("alpha"), source->scalars(sample).at("alpha"));
  EXPECT_EQ(kept->control(0, "force"), source->control(sample, "force"));
}

TEST_F(RolloutInContext, RefusesWhatTheModelDoesNotTake) {
  const auto expect = [&](std::vector<std::string> more, int code, const std::string& words) {
    const Ran ran = rollout(std::move(more));
    EXPECT_EQ(ran.code, code) << ran.err;
    EXPECT_TRUE(has(ran.err, words)) << ran.err;
    EXPECT_FALSE(std::filesystem::exists(out_));
  };
  expect({"--parameter", "alfa=1"}, 2, "takes no such parameter (did you mean 'alpha'?)");
  expect({"--parameter", "alpha"}, 2, "write NAME=VALUE");
  expect({"--parameter", "alpha=big"}, 2, "--parameter alpha=big");
  expect({"--parameter", "alpha=inf"}, 2, "finite");
  expect({"--until", "0.8", "--samples", "2"}, 4,
         "sample 2: its controls are known from 0 to 0.4, but the forecast goes from 0 to 0.8");
  expect({"--controls", controls_, "--until", "1.5"}, 4, "are known from 0 to 1, but");
  expect({"--controls", scratch_.path("none.csv")}, 4, "none.csv");
  files::write_atomically(controls_, "t,torque\n0,0\n1,0\n");
  expect({"--controls", controls_}, 4, "has no control 'force'");
  const Ran ran = run(scratch_, {"rollout", scratch_.path("run"), "--data", data_, "--controls", controls_,
                                 "--out", controls_, "--overwrite"});
  EXPECT_EQ(ran.code, 2) << ran.err;
  EXPECT_TRUE(has(ran.err, "is a file that this command reads")) << ran.err;
}

}  // namespace
}  // namespace cvf::rollout
