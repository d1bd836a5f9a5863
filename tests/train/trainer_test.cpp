#include <gtest/gtest.h>

#include <filesystem>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/registry.hpp"
#include "model/trained_model.hpp"
#include "objectives/objective.hpp"
#include "support/has.hpp"
#include "support/training.hpp"
#include "train/failure.hpp"

namespace cvf::train {
namespace {

namespace fs = std::filesystem;
using testing_support::has;
using testing_support::losses_of;
using testing_support::run;
using testing_support::Scratch;
using testing_support::tiny_run;
using testing_support::weights;

// Every objective and the options that change what a batch must hold.
const std::vector<std::pair<std::string, std::string>> recipes{
    {"cvf", ""},
    {"cvf", "objective.rupture.span = \"whole\""},
    {"cvf", "loader.strides = [1, 2, 4]"},
    {"cvf", "objective.rupture.bidirectional = true\nobjective.tangent.spline = \"quintic\""},
    {"sm", ""},
    {"sm", "objective.conditioned = true"},
    {"tm", ""},
    {"tm", "objective.spline = \"quintic\""},
    {"cfm", ""},
    {"node", "objective.steps = 2"},
    {"pushforward", ""},
    {"cvf", "downsampling.kind = \"dynamic\"\ngenerate.jitter = 0.5"},
    {"cvf", "normalizer.name = \"separated\"\nprecision = \"float64\""},
};

TEST(Training, LowersTheLossOfEveryObjective) {
  for (const auto& [objective, more] : recipes) {
    SCOPED_TRACE(objective + " " + more);
    const Scratch scratch;
    const auto toml =
        tiny_run(scratch.path("data.h5"), fmt::format("objective.name = \"{}\"\n{}", objective, more));
    const auto outcome = run(toml, scratch.path("run"));
    EXPECT_EQ(outcome.steps, 40);
    const auto losses = losses_of(scratch.path("run"));
    ASSERT_EQ(losses.size(), 8U);
    EXPECT_LT(losses.back(), 0.8 * losses.front());
  }
}

TEST(Training, IsTheSameInPortions) {
  for (const auto& [objective, more] : recipes) {
    SCOPED_TRACE(objective + " " + more);
    const std::string precise =
        more.find("precision") == std::string::npos ? "\nprecision = \"float64\"" : "";
    const Scratch scratch;
    auto toml = tiny_run(scratch.path("data.h5"),
                         fmt::format("objective.name = \"{}\"\n{}{}", objective, more, precise));
    const std::string batch = "loader.batch = 32";
    toml.replace(toml.find(batch), batch.size(), "loader.batch = 31");
    run(toml, scratch.path("whole"));
    run(toml + "\ntrain.micro_batch = 5\n", scratch.path("parts"));  // six of 5 rows and one of 1
    const auto whole = losses_of(scratch.path("whole")), parts = losses_of(scratch.path("parts"));
    ASSERT_EQ(whole.size(), parts.size());
    for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(parts[i], whole[i], 1e-8 * whole[i]);
  }
}

TEST(Training, WorksOnGrids) {
  const Scratch scratch;
  const auto toml =
      tiny_run(scratch.path("data.h5"), "train.accumulate = 2\nobjective.tangent.spline = \"cubic\"");
  auto grid = toml;
  const auto swap = [&](const std::string& from, const std::string& to) {
    grid.replace(grid.find(from), from.size(), to);
  };
  swap("\"pendulum\"", "\"wave\"\ngenerate.grid = \"8x16\"");
  swap("\"mlp\"", "\"sit\"\nfield.patch = 4\nfield.heads = 2");
  run(grid, scratch.path("run"));
  const auto losses = losses_of(scratch.path("run"));
  EXPECT_LT(losses.back(), losses.front());
  const auto model = model::load(scratch.path("run/best"));
  EXPECT_EQ(model.spec.state.size_along("x"), 8U);
  EXPECT_EQ(model.spec.state.size_along("y"), 16U);
  EXPECT_EQ(model.spec.state.boundary(), "periodic");
}

TEST(Training, RecordsTheStepsThatItSaw) {
  const Scratch scratch;
  run(tiny_run(scratch.path("data.h5"), "loader.strides = [1, 3]"), scratch.path("run"));
  const auto facts = model::load(scratch.path("run/last")).spec.state;
  EXPECT_DOUBLE_EQ(facts.delta_min, 0.1);
  EXPECT_DOUBLE_EQ(facts.dt_ref, 0.2);
  EXPECT_NEAR(facts.largest_dt, 0.6, 1e-12);
  EXPECT_EQ(facts.usual_dt, facts.largest_dt) << "of the longest stride";
  EXPECT_EQ(facts.data_hash.substr(0, 7), "sha256:");
}

TEST(Training, RefusesStridesThatNoSampleHas) {
  const Scratch scratch;
  try {
    run(tiny_run(scratch.path("data.h5"), "loader.strides = [17]"), scratch.path("run"));
    FAIL() << "17 frames were taken to have two that are 17 apart";
  } catch (const DataError& error) {
    EXPECT_TRUE(has(error.what(), "no training sample has frames that are loader.strides = [17] apart"));
  }
}

TEST(Training, GivesTheSameBytesTwice) {
  const Scratch scratch;
  const auto toml = tiny_run(scratch.path("data.h5"));
  run(toml, scratch.path("a"));
  run(toml, scratch.path("b"));
  EXPECT_EQ(weights(scratch.path("a")), weights(scratch.path("b")));
}

TEST(Training, DoesNothingTwiceAndRefusesOtherSettingsInTheSameFolder) {
  const Scratch scratch;
  const auto toml = tiny_run(scratch.path("data.h5"));
  run(toml, scratch.path("run"));
  EXPECT_EQ(run(toml, scratch.path("run")).steps_here, 0);
  auto other = toml;
  other.replace(other.find("rate = 0.01"), 11, "rate = 0.02");
  try {
    run(other, scratch.path("run"));
    FAIL() << "another rate was taken";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("optimizer.learning_rate = 0.01, not 0.02"), std::string::npos)
        << error.what();
  }
}

TEST(Training, StopsWhereNumbersGoWrongAndShowsItAgain) {
  const Scratch scratch;
  const auto toml = tiny_run(scratch.path("data.h5"), "schedule.warmup = 0.0\noptimizer.clip = 0.0");
  auto wild = toml;
  wild.replace(wild.find("rate = 0.01"), 11, "rate = 1e20");
  try {
    run(wild, scratch.path("run"));
    FAIL() << "a rate of 1e20 went well";
  } catch (const NumericsError& error) {
    const std::string sentence = error.what();
    EXPECT_NE(sentence.find("step 2: the loss is not finite; first at"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("samples "), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("; there is no checkpoint yet,"), std::string::npos) << sentence;
  }
  const auto seen = replay(scratch.path("run/failure-step-2.safetensors"));
  EXPECT_FALSE(std::isfinite(seen.loss));
  EXPECT_NE(seen.place.find("layer "), std::string::npos) << seen.place;
  EXPECT_EQ(seen.step, 2);
}

TEST(Training, RefusesWhatDoesNotFitTogether) {
  const Scratch scratch;
  const auto refusal = [&](const std::string& more) -> std::string {
    try {
      run(tiny_run(scratch.path("data.h5"), more), scratch.path("run"));
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was wrong";
  };
  EXPECT_EQ(
      refusal("field.conditioned = false"),
      "field.conditioned = false does not fit objective 'cvf': leave it out, or set objective.conditioned");
  EXPECT_EQ(refusal("objective.name = \"tm\"\nloader.strides = [1, 2]"),
            "objective 'tm' follows a spline from frame to frame: loader.strides must be [1]");
  EXPECT_NE(refusal("downsampling.kind = \"even\"\nloader.memory_mb = 1\nloader.windw = 3")
                .find("did you mean 'window'"),
            std::string::npos);
}

TEST(Configs, AreAllValidAndSurviveBeingWritten) {
  int seen = 0;
  for (const auto& item : fs::directory_iterator(fs::path(CVF_SOURCE_DIR) / "configs")) {
    SCOPED_TRACE(item.path().string());
    auto options = RunOptions::read(config::Document::from_file(item.path().string()));
    const auto text = options.to_toml();
    EXPECT_EQ(RunOptions::read(config::Document::from_text(text, "again")).to_toml(), text);
    EXPECT_NE(options.generate_system, "none");
    ++seen;
  }
  EXPECT_GE(seen, 11);
}

}  // namespace
}  // namespace cvf::train
