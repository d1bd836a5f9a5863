#include "study/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/files.hpp"
#include "support/scratch.hpp"

namespace cvf::study {
namespace {

using testing_support::Scratch;
using testing_support::sentence_of;

constexpr const char* study_text = R"(
seeds = [3, 4]
set = ["train.steps=10"]
[data.pendulum]
config = "run.toml"
[option.m2]
set = ["downsampling.factor=2"]
[option.m8]
set = ["downsampling.factor=8"]
[method.sm]
set = ["objective.name=sm"]
solver = "euler"
[method."cvf+"]
set = ["objective.name=cvf"]
[evaluation.on-grid]
every = 0
[evaluation.literal]
solver = "gcs"
set = ["solver.literal=true"]
[table.main]
[preset.small]
methods = ["cvf+"]
seeds = [7]
set = ["train.steps=5"]
[preset.whole]
)";

class StudyFile : public testing::Test {
 protected:
  StudyFile() {
    files::write_atomically(scratch_.path("run.toml"), "[data]\nfile = \"p.h5\"\n[split]\ntest = \"8:20\"\n");
  }

  Study read(const std::string& preset, const std::string& text = study_text) {
    files::write_atomically(scratch_.path("study.toml"), text);
    return Study::read(scratch_.path("study.toml"), preset, {});
  }

  Scratch scratch_;
};

bool follows(const Command& command, const std::string& word, const std::string& next) {
  const auto at = std::find(command.begin(), command.end(), word);
  return at != command.end() && at + 1 != command.end() && *(at + 1) == next;
}

TEST_F(StudyFile, CrossesDataOptionsMethodsAndSeedsWithSeedsSlowest) {
  const auto cells = cells_of(read("whole"));
  ASSERT_EQ(cells.size(), 8U);
  EXPECT_EQ(cells[0].folder(), "pendulum/m2/sm/seed-3");
  EXPECT_EQ(cells[3].folder(), "pendulum/m8/cvf+/seed-3");
  EXPECT_EQ(cells[4].seed, 4);
}

TEST_F(StudyFile, TakesTheFirstPresetUnlessAnotherIsNamed) {
  const auto small = read("");
  EXPECT_EQ(cells_of(small).size(), 2U);
  EXPECT_EQ(cells_of(small).front().seed, 7);
  EXPECT_EQ(settings_of(small, cells_of(small).front()),
            (Settings{"train.steps=10", "train.steps=5", "downsampling.factor=2", "objective.name=cvf"}));
}

TEST_F(StudyFile, TrainsThenEvaluatesAndKeepsForecastsOfTheFirstSeed) {
  const auto study = read("whole");
  const auto cells = cells_of(study);
  const auto first = commands_of(study, cells[0], "out"), later = commands_of(study, cells[4], "out");
  ASSERT_EQ(first.size(), 3U);
  ASSERT_EQ(later.size(), 3U);
  EXPECT_EQ(first[0][0], "train");
  EXPECT_TRUE(follows(first[0], "--out", "out/runs/pendulum/m2/sm/seed-3"));
  EXPECT_TRUE(follows(first[1], "--solver", "euler"));
  EXPECT_TRUE(follows(first[1], "--every", "0"));
  EXPECT_TRUE(follows(first[2], "--solver", "gcs")) << "an evaluation's solver comes before the method's";
  EXPECT_TRUE(follows(first[2], "--set", "solver.literal=true"));
  for (const auto i : {1U, 2U}) {
    EXPECT_TRUE(follows(first[i], "--keep", "1")) << "what is shown is what was scored";
    EXPECT_FALSE(follows(later[i], "--keep", "1"));
  }
}

TEST_F(StudyFile, KeepsWhatItMadeApartFromRunsThatItShares) {
  const auto study = read("whole", std::string("runs = \"others/runs\"\n") + study_text);
  const auto commands = commands_of(study, cells_of(study)[0], "out/mine");
  EXPECT_TRUE(follows(commands[0], "--out", "out/mine/../others/runs/pendulum/m2/sm/seed-3"));
  EXPECT_TRUE(follows(commands[1], "--out", "out/mine/cells/pendulum/m2/sm/seed-3/evaluation-on-grid"));
}

TEST_F(StudyFile, NamesWhatIsWrong) {
  const auto said = [&](const std::string& from, const std::string& to, const std::string& preset = "whole") {
    std::string text = study_text;
    text.replace(text.find(from), from.size(), to);
    try {
      read(preset, text);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_NE(said("run.toml", "gone.toml").find("gone.toml"), std::string::npos);
  EXPECT_NE(said("[\"cvf+\"]", "[\"cvf\"]", "small").find("did you mean 'cvf+'"), std::string::npos);
  EXPECT_NE(said("[table.main]", "[table.main]\nrows = [\"methods\"]").find("did you mean 'method'"),
            std::string::npos);
  EXPECT_NE(said("[table.main]", "[table.main]\nevaluations = [\"ongrid\"]").find("did you mean 'on-grid'"),
            std::string::npos);
  EXPECT_NE(
      said("[table.main]", "[table.main]\nbaselines = [\"persistance\"]").find("did you mean 'persistence'"),
      std::string::npos);
  EXPECT_NE(said("[method.sm]\n", "[table.other]\nbaselines = [\"persistence\"]\n[method.persistence]\n")
                .find("'persistence' is the name of a method, too"),
            std::string::npos);
  EXPECT_NE(said("[method.sm]", "[method.\"../sm\"]").find("cannot be a folder's name"), std::string::npos);
  EXPECT_NE(said("whole", "whole", "large").find("no preset 'large'"), std::string::npos);
}

}  // namespace
}  // namespace cvf::study
