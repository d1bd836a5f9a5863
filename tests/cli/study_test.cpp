// The study verb as a user runs it: whole, killed in the middle, and with a cell that fails.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "core/files.hpp"
#include "core/machine.hpp"
#include "support/program.hpp"

namespace cvf::cli {
namespace {

using namespace testing_support;
namespace fs = std::filesystem;

// Tiny in every way: what matters is who runs when, and what is kept.
std::string study_file(const Scratch& scratch) {
  files::write_atomically(scratch.path("run.toml"), "[data]\nfile = \"" + scratch.path("p.h5") + R"("
[generate]
name = "pendulum"
samples = 8
frames = 9
[split]
train = "0:4"
validation = "4:6"
test = "6:8"
[downsampling]
factor = 2
[loader]
batch = 8
[field]
name = "mlp"
width = 8
depth = 1
[train]
steps = 30
[checkpoint]
steps = 5
[log]
steps = 10
diagnostics = 0
[validation]
steps = -1
)");
  files::write_atomically(scratch.path("study.toml"), R"(
seeds = [0]
forecasts = 1
[data.pendulum]
config = "run.toml"
[method.sm]
set = ["objective.name=sm"]
[method.broken]
set = ["objective.name=sm", "optimizer.learning_rate=1e30"]
[evaluation.off]
)");
  return scratch.path("study.toml");
}

std::string table(const Scratch& scratch, const std::string& out) {
  return files::read_whole(scratch.path(out + "/tables/results.csv"));
}

TEST(StudyVerb, GoesOnAfterAKillAndEndsWithTheSameTables) {
  const Scratch scratch;
  const auto file = study_file(scratch);
  const Ran whole = run(scratch, {"study", file, "--out", scratch.path("whole"), "--jobs", "2"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_NE(whole.err.find("1 failed"), std::string::npos) << whole.err;
  EXPECT_NE(table(scratch, "whole").find("\"broken\",\"pendulum\",rollout_rmse,,,1,1\n"), std::string::npos)
      << "a failure is a result";
  EXPECT_TRUE(
      fs::exists(scratch.path("whole/cells/pendulum/default/sm/seed-0/evaluation-off.time_informed.h5")));

  // On a busy machine the second cell may be done before the kill: then once more.
  std::string parts;
  const auto note = [&](const char* method) {
    return scratch.path(fmt::format("{}/cells/pendulum/default/{}/seed-0/cell.json", parts, method));
  };
  do {
    parts += "p";
    Program program(scratch, {"study", file, "--out", scratch.path(parts), "--jobs", "1"});
    while (!fs::exists(scratch.path(parts + "/results.jsonl")))  // which comes after the note of "sm"
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    program.send(SIGKILL);
    program.wait();
  } while (fs::exists(note("broken")));
  EXPECT_NE(files::read_whole(scratch.path(parts + "/results.jsonl")).find("\"method\":\"sm\""),
            std::string::npos)
      << "what is finished is told before the end";
  const Ran rest = run(scratch, {"study", file, "--out", scratch.path(parts), "--jobs", "2"});
  ASSERT_EQ(rest.code, 0) << rest.err;
  EXPECT_NE(rest.err.find("2 cells, 1 of them run now"), std::string::npos) << rest.err;
  EXPECT_EQ(table(scratch, parts), table(scratch, "whole"));
}

// A budget of time that is larger than what the cell takes, and smaller than what the clock shows.
TEST(StudyVerb, RecordsACellThatWasKilledWithAllItsSteps) {
  const Scratch scratch;
  const auto file = study_file(scratch);
  const std::string minutes = fmt::format("train.minutes={}", 0.9 * clock::wall() / 60);
  // On a busy machine the cell may be done before the kill: then once more.
  for (int attempt = 0;; ++attempt) {
    for (const int signal : {SIGTERM, SIGKILL}) {
      const std::string out = scratch.path(fmt::format("out-{}-{}", signal, attempt));
      const std::string cell = "/pendulum/default/sm/seed-0";
      const std::vector<std::string> words{
          "study",  file,
          "--out",  out,
          "--jobs", "1",
          "--set",  "preset.one.methods=[\"sm\"]",
          "--set",  fmt::format("set=[\"train.steps=600\", \"{}\"]", minutes)};
      Program program(scratch, words);
      while (!fs::exists(out + "/runs" + cell + "/last") && !fs::exists(out + "/cells" + cell + "/cell.json"))
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      program.send(signal);
      program.wait();
      const bool in_time = !fs::exists(out + "/cells" + cell + "/cell.json");
      const Ran rest = run(scratch, words);
      ASSERT_EQ(rest.code, 0) << rest.err;
      const auto results = files::read_whole(out + "/results.jsonl");
      EXPECT_NE(results.find("\"steps\":600.0"), std::string::npos) << results.substr(0, 600);
      if (in_time && signal == SIGKILL) return;
    }
  }
}

TEST(StudyVerb, GoesOnFromItsResultsWhereTheRunsAreGone) {
  const Scratch scratch;
  const auto file = study_file(scratch);
  const std::string out = scratch.path("out"), results = out + "/results.jsonl";
  const auto study = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"study", file, "--out", out, "--set", "set=[\"train.steps=5\"]"};
    words.insert(words.end(), more.begin(), more.end());
    Ran ran = run(scratch, words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.err;
  };
  study({});
  const std::string lines = files::read_whole(results), tables = table(scratch, "out");
  fs::remove_all(out + "/runs");
  fs::remove_all(out + "/cells");
  fs::remove(scratch.path("p.h5"));

  const auto again = study({});
  EXPECT_NE(again.find("2 cells, 0 of them run now"), std::string::npos) << again;
  EXPECT_NE(again.find("2 of 2 cells were taken from"), std::string::npos) << again;
  EXPECT_EQ(files::read_whole(results), lines);
  EXPECT_EQ(table(scratch, "out"), tables);
  EXPECT_FALSE(fs::exists(scratch.path("p.h5"))) << "data that no cell needs";

  const auto more = study({"--set", "seeds=[0,1]", "--set", "preset.both.methods=[\"sm\"]"});
  EXPECT_NE(more.find("2 cells, 1 of them run now"), std::string::npos) << more;
  EXPECT_TRUE(files::read_whole(results).starts_with(lines.substr(0, lines.find('\n'))));
  EXPECT_EQ(files::read_whole(out + "/results-before.jsonl"), lines.substr(lines.find('\n') + 1))
      << "the other method";

  // Another config makes other cells, whatever the commands.
  fs::remove_all(out + "/runs");
  fs::remove_all(out + "/cells");
  const auto config = scratch.path("run.toml");
  files::write_atomically(config, files::read_whole(config) + "[solver]\nname = \"rk4\"\n");
  const std::string before = files::read_whole(results);
  study({"--tables-only", "--set", "seeds=[0,1]", "--set", "preset.both.methods=[\"sm\"]"});
  EXPECT_EQ(files::read_whole(results), before) << "tables of what is there, whatever made it";
  EXPECT_NE(study({}).find("2 cells, 2 of them run now"), std::string::npos);

  files::write_atomically(results, "{\"data\": ");
  const Ran damaged = run(scratch, {"study", file, "--out", out, "--tables-only"});
  EXPECT_EQ(damaged.code, 4);
  EXPECT_EQ(files::read_whole(results), "{\"data\": ") << "and stays as it is";
  EXPECT_NE(damaged.err.find("line 1 is not the result of a cell"), std::string::npos) << damaged.err;
}

TEST(StudyVerb, TablesSayWhatWasEqual) {
  const Scratch scratch;
  const auto file = study_file(scratch);
  files::write_atomically(file, files::read_whole(file) + R"(
[option.short]
set = ["train.steps=5"]
[option.timed]
set = ["train.steps=5", "train.minutes=1"]
[option.long]
set = ["train.steps=5", "train.minutes=4"]
[preset.steps]
options = ["short", "timed"]
methods = ["sm"]
[preset.time]
options = ["timed", "long"]
methods = ["sm"]
)");
  for (const auto& [preset, words] :
       {std::pair{"steps", "equal optimiser steps."}, {"time", "equal training time (1 or 4 min)."}}) {
    const Ran study = run(scratch, {"study", file, "--preset", preset, "--out", scratch.path(preset)});
    ASSERT_EQ(study.code, 0) << study.err;
    const auto text = files::read_whole(scratch.path(std::string(preset) + "/tables/results.md"));
    EXPECT_NE(text.find(words), std::string::npos) << text;
  }
}

TEST(StudyVerb, WritesOverNobodysFile) {
  const Scratch scratch;
  const auto file = study_file(scratch);
  const std::string before = files::read_whole(file);
  const Ran study = run(scratch, {"study", file, "--out", scratch.path("")});
  EXPECT_EQ(study.code, 2);
  EXPECT_NE(study.err.find("would be written over by the resolved study"), std::string::npos) << study.err;
  EXPECT_EQ(files::read_whole(file), before);

  files::write_atomically(scratch.path("pendulum.toml"), "mine");
  const Ran demo = run(scratch, {"demo", "--out", scratch.path("")});
  EXPECT_EQ(demo.code, 2);
  EXPECT_NE(demo.err.find("pendulum.toml: is not as cvf demo writes it"), std::string::npos) << demo.err;
  EXPECT_EQ(files::read_whole(scratch.path("pendulum.toml")), "mine");
}

}  // namespace
}  // namespace cvf::cli
