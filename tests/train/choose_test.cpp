// What a run file leaves out and the data decide.
#include <gtest/gtest.h>

#include "core/errors.hpp"
#include "model/trained_model.hpp"
#include "support/archives.hpp"
#include "support/has.hpp"
#include "support/training.hpp"
#include "train/run_data.hpp"

namespace cvf::train {
namespace {

using testing_support::has;
using testing_support::options_of;
using testing_support::Scratch;

// Nothing but the data, and how to make them.
std::string only_data(const Scratch& scratch, const std::string& system, const std::string& more = "") {
  return fmt::format(
      "data.file = \"{}\"\ngenerate.name = \"{}\"\ngenerate.samples = 10\ngenerate.frames = 5\n{}\n",
      scratch.path(system + ".h5"), system, more);
}

model::StateFacts grid(std::int64_t ny, std::int64_t nx, std::size_t channels = 2) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < channels; ++c) names.push_back(fmt::format("c{}", c));
  return {state_of(names, {{"y", static_cast<std::size_t>(ny)}, {"x", static_cast<std::size_t>(nx)}})};
}

RunOptions waves(const std::string& more = "") {
  return RunOptions::read(
      config::Document::from_text("data.file = \"no such file\"\ngenerate.name = \"wave\"\n" + more, "test"));
}

std::string field_key(const RunOptions& o, const std::string& key) {
  const auto text = config::write([&](config::Section& s) { o.field.settings->describe(s); });
  return config::Document::from_text(text, "field").look_up(key).value_or("none");
}

TEST(LeftOut, TheFieldIsConvOnGridsAndMlpForVectors) {
  const Scratch scratch;
  for (const auto& [system, field] : {std::pair{"pendulum", "mlp"}, {"burgers", "conv"}}) {
    auto options = options_of(only_data(scratch, system));  // before the file was there
    EXPECT_EQ(options.field.name, field);
    options = options_of(only_data(scratch, system));  // and from the file
    EXPECT_EQ(options.field.name, field);
    EXPECT_EQ(options_of(only_data(scratch, system, "field.name = \"auto\"")).field.name, field);
  }
}

TEST(LeftOut, SizesStandInTheResolvedRunFile) {
  const Scratch scratch;
  for (const auto& [system, field] : {std::pair{"pendulum", "mlp"}, {"burgers", "conv"}}) {
    auto options = options_of(only_data(scratch, system));
    const auto run_data = prepare(options);
    ASSERT_FALSE(run_data.notes.empty());
    EXPECT_TRUE(has(run_data.notes[0], fmt::format(": {}, width ", field))) << run_data.notes[0];
    const auto text = options.to_toml();
    auto again = RunOptions::read(config::Document::from_text(text, "run.toml"));
    EXPECT_TRUE(again.left_out.empty());
    EXPECT_EQ(again.to_toml(), text);
    EXPECT_TRUE(has(text, fmt::format("name = \"{}\"", field))) << text;
    EXPECT_LE(options.loader.batch, 128);
    EXPECT_GT(options.length.steps, 0);
    EXPECT_LE(options.length.steps, 4000);
  }
}

TEST(LeftOut, WhatTheRunFileSaysStays) {
  auto options =
      waves("field.width = 20\nloader.batch = 3\noptimizer.learning_rate = 0.5\ntrain.epochs = 7\n");
  EXPECT_NE(choose_sizes(options, grid(64, 64), ""), "");
  EXPECT_EQ(field_key(options, "width"), "20");
  EXPECT_EQ(options.loader.batch, 3);
  EXPECT_EQ(options.optimizer.learning_rate, 0.5);
  EXPECT_EQ(options.optimizer.name, "adamw") << "a rate of one's own belongs to the usual optimizer";
  EXPECT_EQ(options.length.steps, 0);
  EXPECT_EQ(options.length.epochs, 7);
}

TEST(LeftOut, NothingIsChosenForTheTransformer) {
  auto options = waves("field.name = \"sit\"\n");
  EXPECT_EQ(choose_sizes(options, grid(64, 64), ""), "");
  EXPECT_EQ(options.loader.batch, 256);
}

TEST(LeftOut, LargeGridsGetCoarserPatchesThatFit) {
  auto small = waves(), large = waves(), prime = waves();
  choose_sizes(small, grid(8, 8), "");
  choose_sizes(large, grid(1536, 1024), "");
  choose_sizes(prime, grid(509, 509), "");
  EXPECT_EQ(field_key(small, "patch"), "1");
  EXPECT_EQ(small.loader.batch, 16);
  EXPECT_EQ(small.length.steps, 4000);
  EXPECT_EQ(small.optimizer.name, "muon");
  EXPECT_EQ(field_key(large, "patch"), "8");
  EXPECT_EQ(large.loader.batch, 4);
  EXPECT_EQ(field_key(prime, "patch"), "1");
  auto line = waves();
  choose_sizes(line, grid(1, 1000000), "");
  EXPECT_NE(field_key(line, "patch"), "1") << "a single row does not forbid patches along it";
}

// Three minutes on 128 x 128 cells, where a step of a batch of 16 at full resolution takes `seconds`, and the
// patch of 4, but not that of 2, loses `lost` of the energy.
RunOptions sized(double seconds, double lost = 0) {
  auto options = waves();
  choose_sizes(options, grid(128, 128), "",
               {.seconds = 180,
                .step_seconds =
                    [&](const RunOptions& o) {
                      const double side = std::stod(field_key(o, "patch"));
                      return seconds * o.loader.batch / 16 / (side * side);
                    },
                .unresolved = [&](int patch) { return patch >= 4 ? lost : 0; }});
  return options;
}

TEST(LeftOut, ThePatchIsTheFinestThatTheTimeIsEnoughFor) {
  const auto expect = [](const RunOptions& o, const char* patch, int batch, std::int64_t steps) {
    EXPECT_EQ(field_key(o, "patch"), patch);
    EXPECT_EQ(o.loader.batch, batch);
    EXPECT_EQ(o.length.steps, steps);
  };
  expect(sized(0.01), "1", 16, 4000);
  expect(sized(0.145), "1", 8, 2400);
  expect(sized(0.59), "1", 4, 1200);  // 1000 steps are enough
  expect(sized(1), "2", 4, 2800);     // 720 are not
}

TEST(LeftOut, APatchThatLosesTheStatesIsNotTaken) {
  EXPECT_EQ(field_key(sized(10), "patch"), "4");
  EXPECT_EQ(field_key(sized(10, 0.005), "patch"), "4");
  const auto fine = sized(10, 0.05);
  EXPECT_EQ(field_key(fine, "patch"), "2") << "however slow";
  EXPECT_EQ(fine.loader.batch, 4);
  EXPECT_EQ(fine.length.steps, 500);
}

TEST(LeftOut, ARunThatGoesOnKeepsWhatItBeganWith) {
  const Scratch scratch;
  auto first = waves(
      "field.width = 40\nfield.depth = 2\nfield.patch = 2\nloader.batch = 5\noptimizer.learning_rate = 0.25\n"
      "train.steps = 11\n");
  files::write_atomically(scratch.path("run.toml"), first.to_toml());
  auto options = waves();
  EXPECT_EQ(choose_sizes(options, grid(64, 64), scratch.path("")), "");
  EXPECT_EQ(options.to_toml(), first.to_toml());
}

TEST(LeftOut, ARunThatBeginsAnewChoosesAnew) {
  const Scratch scratch;
  const auto toml = only_data(scratch, "burgers", "train.steps = 2\nlog.steps = 1\nvalidation.steps = -1");
  testing_support::run(toml + "field.width = 5\n", scratch.path("run"));
  ProcessGroup alone;
  train(options_of(toml), scratch.path("run"), alone, {.anew = true});
  EXPECT_EQ(config::Document::from_file(scratch.path("run/run.toml")).look_up("field.width"), "32");
}

TEST(LeftOut, KeysOfTheFieldThatItBecomesAreTakenAndOthersRefused) {
  const Scratch scratch;
  const auto options = options_of(only_data(scratch, "pendulum", "field.expansion = 2"));
  EXPECT_EQ(field_key(options, "expansion"), "2");
  EXPECT_THROW(options_of(only_data(scratch, "pendulum", "field.patch = 2")), ConfigError);
  EXPECT_THROW(options_of(only_data(scratch, "burgers", "field.expansion = 2")), ConfigError);
}

TEST(LeftOut, ALineOfCellsTrainsWithNothingButData) {
  const Scratch scratch;
  testing_support::run(only_data(scratch, "burgers", "train.steps = 3\nlog.steps = 1"), scratch.path("run"));
  const auto model = model::load(scratch.path("run/last"));
  EXPECT_EQ(model.spec.field.name, "conv");
  EXPECT_EQ(model.spec.state.axes.size(), 1U);
}

TEST(FieldBoundary, IsTheFilesUnlessTheRunSaysOtherwise) {
  const Scratch scratch;
  auto options = options_of(only_data(scratch, "burgers"));
  const auto run_data = prepare(options);
  EXPECT_EQ(field_key(options, "boundary"), "periodic");
  EXPECT_EQ(run_data.spec.state.boundary(), "periodic");
  ASSERT_EQ(run_data.notes.size(), 2U) << "of the sizes and the boundary";
  EXPECT_TRUE(has(run_data.notes[1], "field.boundary = \"periodic\"")) << run_data.notes[1];
  EXPECT_TRUE(has(run_data.notes[1], "as the file says")) << run_data.notes[1];
  options = options_of(only_data(scratch, "burgers", "field.boundary = \"x: wall/outflow\""));
  prepare(options);
  EXPECT_EQ(field_key(options, "boundary"), "x: wall/outflow");
  options = options_of(only_data(scratch, "burgers", "field.boundary = \"sticky\""));
  EXPECT_THROW(prepare(options), ConfigError);
}

TEST(FieldBoundary, ThatNobodyKnowsIsToldOnce) {
  const Scratch scratch;
  const std::string file = scratch.path("bare.npy");  // an array says nothing of its sides
  files::write_atomically(file,
                          testing_support::npy("<f4", "(10, 5, 16)", testing_support::counting<float>(800)));
  auto options = options_of(fmt::format("data.file = \"{}\"\ndata.axes = \"n,t,x\"\ndata.dt = 1.0", file));
  const auto run_data = prepare(options);
  EXPECT_EQ(field_key(options, "boundary"), "unknown");
  ASSERT_EQ(run_data.notes.size(), 2U);
  EXPECT_TRUE(has(run_data.notes[1], "does not say what lies beyond the sides")) << run_data.notes[1];
  EXPECT_TRUE(has(run_data.notes[1], "zero_flux")) << run_data.notes[1];
}

}  // namespace
}  // namespace cvf::train
