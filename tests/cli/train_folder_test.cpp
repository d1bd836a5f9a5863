// The folder of a run: what `cvf train` takes there, and what it leaves alone.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/train_command.hpp"

namespace cvf {
namespace {

namespace fs = std::filesystem;
using testing_support::children_of;
using testing_support::command;
using testing_support::Program;
using testing_support::Ran;
using testing_support::run;
using testing_support::run_file;
using testing_support::Scratch;
using testing_support::wait_for;
using testing_support::weights;
using Words = std::vector<std::string>;

TEST(TrainFolder, LetsOneAtATimeIntoTheFolderOfARun) {
  const Scratch scratch, second;
  const auto file = run_file(scratch, "train.steps = 200000");
  Program program(scratch, command(file, scratch.path("run"), {"--local-ranks", "2"}));
  wait_for(scratch.path("run/last"));
  const pid_t leader = children_of(program.id()).at(0);
  for (const Words& more : {Words{}, Words{"--overwrite"}}) {
    const Ran ran = run(second, command(file, scratch.path("run"), more));
    EXPECT_EQ(ran.code, 2);
    EXPECT_NE(ran.err.find(fmt::format("process {} on ", leader)), std::string::npos) << ran.err;
  }
  program.send(SIGTERM);
  EXPECT_EQ(program.wait().code, 8);
}

TEST(TrainFolder, OverwritesWhatARunWroteAndNothingElse) {
  const Scratch scratch;
  const auto file = run_file(scratch, "train.steps = 14");
  const auto with = [&](const std::string& out, Words more) {
    more.insert(more.end(), {"--set", "log.tensorboard=true", "--set", "validation.steps=7"});
    return run(scratch, command(file, out, more));
  };
  const auto mine = [&](const std::string& name) {
    files::write_atomically(scratch.path(name), "mine");
    return scratch.path(name);
  };
  // The user's own folder, in which a run.toml lies.
  fs::create_directories(scratch.path("home/best"));
  const Words own{mine("home/run.toml"), mine("home/thesis.tex"), mine("home/best/photo.png")};
  for (const Words& more : {Words{}, Words{"--overwrite"}}) {
    const Ran ran = with(scratch.path("home"), more);
    EXPECT_EQ(ran.code, 2);
    EXPECT_NE(ran.err.find("no run of cvf train"), std::string::npos) << ran.err;
    for (const auto& path : own) EXPECT_EQ(files::read_whole(path), "mine");
  }
  EXPECT_FALSE(fs::exists(scratch.path("home/.lock")));

  ASSERT_EQ(with(scratch.path("run"), {}).code, 0);
  const auto before = weights(scratch.path("run"));
  const Words beside{mine("run/notes.txt"), mine("run/best/why.txt"), mine("run/checkpoints/list.txt"),
                     mine("run/checkpoints/step-000000007/look.txt"), mine("run/tensorboard/layout.json")};
  for (const bool marked : {true, false}) {  // false: as a program without markers left it
    SCOPED_TRACE(marked);
    if (!marked) fs::remove(scratch.path("run/.cvf-run"));
    const Ran ran = with(scratch.path("run"), {"--overwrite"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.err.find("14 steps in"), std::string::npos) << "it began anew: " << ran.err;
    for (const auto& path : beside) {
      EXPECT_EQ(files::read_whole(path), "mine");
      EXPECT_NE(ran.err.find(path), std::string::npos) << path << " is named in " << ran.err;
    }
    EXPECT_EQ(weights(scratch.path("run")), before);
  }
}

TEST(TrainFolder, SaysThatItsFolderWasRemoved) {
  const Scratch scratch;
  const auto file = run_file(scratch, "train.steps = 200000");
  Program program(scratch, command(file, scratch.path("run")));
  wait_for(scratch.path("run/last"));
  fs::rename(scratch.path("run"), scratch.path("gone"));
  const Ran ran = program.wait();
  EXPECT_EQ(ran.code, 4);
  EXPECT_NE(ran.err.find("the folder of this run was removed or replaced"), std::string::npos) << ran.err;
  EXPECT_FALSE(fs::exists(scratch.path("run/run.toml")));
}

TEST(TrainFolder, AnswersAFolderThatCannotBeWrittenWithOneSentence) {
  const Scratch scratch;
  const auto file = run_file(scratch, "train.steps = 5");
  files::write_atomically(scratch.path("letter.txt"), "dear");
  const Ran inside = run(scratch, command(file, scratch.path("letter.txt/run")));
  EXPECT_EQ(inside.code, 4);
  EXPECT_NE(inside.err.find("cannot be the folder of a run: Not a directory"), std::string::npos)
      << inside.err;
  EXPECT_EQ(run(scratch, command(file, scratch.path("letter.txt"))).code, 4);
  const Ran other = run(scratch, {"demo", "--out", scratch.path("letter.txt/demo")});
  EXPECT_EQ(other.code, 4);
  EXPECT_NE(other.err.find("letter.txt/demo: Not a directory"), std::string::npos) << other.err;
}

}  // namespace
}  // namespace cvf
