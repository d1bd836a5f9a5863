// A model without positions on other grids than its own.
#include <gtest/gtest.h>

#include "rollout/tensors/model.hpp"
#include "support/has.hpp"
#include "support/program.hpp"

namespace cvf::rollout {
namespace {

using testing_support::has;
using testing_support::Ran;
using testing_support::run;
using testing_support::Scratch;

model::TrainedModel model_of(const std::string& field, const std::string& state) {
  return model::build(model::from_toml("[state]\nchannels = [\"u\", \"v\"]\n" + state + "[field]\n" + field +
                                           "width = 8\ndepth = 1\n",
                                       "test"),
                      3);
}

std::string misfit(const StateSpec& grid, const model::TrainedModel& model, bool any_spacing) {
  return rollout::misfit(grid, facts_of(model), any_spacing);
}

const std::string plane = "ny = 8\nnx = 12\ny_range = [0.125, 1.875]\nx_range = [0.1, 2.3]\n";  // 0.25, 0.2
const std::string conv = "name = \"conv\"\n", sit = "name = \"sit\"\nheads = 2\n";

StateSpec grid(std::size_t ny, std::size_t nx, double dy, double dx) {
  const auto along = [](const char* name, std::size_t size, double spacing) {
    Axis out{name, size};
    if (!std::isnan(spacing)) out.coordinates = {0, spacing * static_cast<double>(size - 1)};
    return out;
  };
  return state_of({"u", "v"}, {along("y", ny, dy), along("x", nx, dx)});
}

TEST(Grid, OfTheSameSpacingFitsAFieldWithoutPositions) {
  const auto model = model_of(conv, plane);
  EXPECT_EQ(misfit(grid(8, 12, 0.25, 0.2), model, false), "");
  EXPECT_EQ(misfit(grid(32, 6, 0.25, 0.2), model, false), "");
  EXPECT_EQ(misfit(grid(32, 6, 0.25002, 0.19998), model, false), "") << "rounded coordinates";
}

TEST(Grid, OfAnotherSpacingIsRefusedWithBoth) {
  const auto model = model_of(conv, plane);
  EXPECT_EQ(misfit(grid(16, 24, 0.125, 0.2), model, false),
            "has a spacing of 0.125 along y, but the model was trained on a spacing of 0.25");
  EXPECT_EQ(misfit(grid(16, 24, 0.25, 0.1), model, false),
            "has a spacing of 0.1 along x, but the model was trained on a spacing of 0.2");
  EXPECT_EQ(misfit(grid(8, 12, 0.25, 0.1), model, false),
            "has a spacing of 0.1 along x, but the model was trained on a spacing of 0.2")
      << "also where the cells are as many";
  EXPECT_EQ(misfit(grid(16, 24, NAN, 0.2), model, false),
            "has an unknown spacing along y, but the model was trained on a spacing of 0.25");
  EXPECT_EQ(misfit(grid(16, 24, 0.125, NAN), model, true), "") << "asked for";
}

TEST(Grid, WithoutCoordinatesFitsWhereTheCellsAreAsMany) {
  EXPECT_EQ(misfit(grid(8, 12, NAN, NAN), model_of(conv, plane), false), "");
  EXPECT_EQ(misfit(grid(8, 12, 0.1, 0.1), model_of(conv, "ny = 8\nnx = 12\n"), false), "");
}

TEST(Grid, OfAnotherSizeDoesNotFitPositions) {
  const auto model = model_of(sit, plane);
  for (const bool any_spacing : {false, true}) {
    EXPECT_EQ(misfit(grid(16, 12, 0.25, 0.2), model, any_spacing),
              "has a grid of 16 x 12 (y x x), but the model was trained on a grid of 8 x 12 (y x x)");
  }
  EXPECT_EQ(misfit(grid(8, 12, 0.5, 0.5), model, false), "");
}

TEST(Grid, OfOtherDimensionsNeverFits) {
  EXPECT_NE(misfit(grid(1, 12, NAN, 0.2), model_of(conv, plane), true), "");
  const auto line = model_of(conv, "nx = 12\nx_range = [0.1, 2.3]\n");
  EXPECT_EQ(misfit(grid(1, 48, NAN, 0.2), line, false), "");
  EXPECT_NE(misfit(grid(4, 12, NAN, 0.2), line, true), "");
}

// A model for waves of 8 x 12 cells, and files of other grids.
class GridVerbs : public testing::Test {
 protected:
  std::string waves(const std::string& name, const std::string& grid, const std::string& length,
                    const std::string& height) const {
    const std::string path = scratch_.path(name);
    const Ran ran = run(scratch_, {"data", "generate", "wave", "--out", path, "--samples", "2", "--grid",
                                   grid, "--frames", "4", "--spacing", "0.1", "--set",
                                   "system.length=" + length, "--set", "system.height=" + height});
    EXPECT_EQ(ran.code, 0) << ran.err;
    return path;
  }

  void save(const std::string& field) const {
    auto model = model_of(field, plane + "boundary = \"periodic\"\ndt_ref = 0.2\ndelta_min = 0.1\n");
    model.run_toml = "[objective]\nname = \"cvf\"\n";
    model::save(model, scratch_.path("run/last"));
  }

  Ran verb(const std::string& name, const std::string& data, std::vector<std::string> more = {}) const {
    std::vector<std::string> words{name, scratch_.path("run"), "--data", data};
    if (name == "rollout") words.insert(words.end(), {"--out", scratch_.path("f.h5"), "--overwrite"});
    words.insert(words.end(), more.begin(), more.end());
    return run(scratch_, words);
  }

  Scratch scratch_;
};

TEST_F(GridVerbs, TakeALargerGridOfTheSameSpacing) {
  save(conv);
  const auto larger = waves("larger.h5", "30x16", "6", "4");
  for (const char* name : {"rollout", "evaluate"}) {
    const Ran ran = verb(name, larger);
    EXPECT_EQ(ran.code, 0) << ran.err;
  }
  const auto forecast = data::open(scratch_.path("f.h5"));
  EXPECT_EQ(forecast->description().state.size_along("x"), 30U);
  EXPECT_EQ(forecast->description().state.size_along("y"), 16U);
}

TEST_F(GridVerbs, RefuseAnotherSpacingUnlessItIsAllowed) {
  save(conv);
  const auto finer = waves("finer.h5", "24x16", "2.4", "2");
  for (const char* name : {"rollout", "evaluate"}) {
    Ran ran = verb(name, finer);
    EXPECT_EQ(ran.code, 4);
    EXPECT_TRUE(has(ran.err,
                    "has a spacing of 0.125 along y, but the model was trained on a spacing of 0.25; "
                    "--allow-spacing uses it nevertheless"))
        << ran.err;
    ran = verb(name, finer, {"--allow-spacing"});
    EXPECT_EQ(ran.code, 0) << ran.err;
  }
}

TEST_F(GridVerbs, KeepRefusingOtherGridsForTheTransformer) {
  save(sit);
  const Ran ran = verb("rollout", waves("larger.h5", "24x16", "4.8", "4"), {"--allow-spacing"});
  EXPECT_EQ(ran.code, 4);
  EXPECT_TRUE(
      has(ran.err, "has a grid of 16 x 24 (y x x), but the model was trained on a grid of 8 x 12 (y x x)"))
      << ran.err;
}

}  // namespace
}  // namespace cvf::rollout
