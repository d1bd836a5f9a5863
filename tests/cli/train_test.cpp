// `cvf train` as a user meets it: killed at any moment, spread over ranks, fed with nonsense.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/files.hpp"
#include "core/random.hpp"
#include "support/listeners.hpp"
#include "support/program.hpp"

namespace cvf {
namespace {

namespace fs = std::filesystem;
using testing_support::Program;
using testing_support::Ran;
using testing_support::run;
using testing_support::Scratch;
using Words = std::vector<std::string>;

// A pendulum, a small network, and a checkpoint every few steps so that many kills hit a save.
std::string run_file(const Scratch& scratch, const std::string& more) {
  const std::string path = scratch.path("run.toml");
  files::write_atomically(path, fmt::format(R"(
data.file = "{}"
generate = {{name = "pendulum", samples = 10, frames = 33}}
split = {{train = "0:8", validation = "8:9", test = "9:10"}}
downsampling.factor = 2
loader.batch = 32
field = {{name = "mlp", width = 32, depth = 1}}
optimizer.rate = 0.01
checkpoint = {{steps = 7, minutes = 0.0}}
log = {{steps = 1, diagnostics = 50}}
validation.steps = 60
{}
)",
                                            scratch.path("data.h5"), more));
  return path;
}

Words command(const std::string& file, const std::string& out, const Words& more = {}) {
  Words words{"train", file, "--out", out, "--threads", "1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void wait_for(const std::string& path) {
  while (!fs::exists(path)) std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

std::string weights(const std::string& folder) {
  return files::read_whole(folder + "/last/weights.safetensors");
}

std::vector<double> losses(const std::string& folder) {
  std::ifstream in(folder + "/metrics.csv");
  std::string line;
  std::getline(in, line);
  std::vector<double> out;
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    std::string cell;
    for (int i = 0; i < 4; ++i) std::getline(cells, cell, ',');  // step, epoch, seconds, loss
    out.push_back(std::stod(cell));
  }
  return out;
}

// Killed again and again until it ends by itself, a run must have the weights of one that was left alone.
// Runs follow each other until so many kills have hit one.
void survive(const std::string& objective, int kills) {
  const Scratch scratch;
  const auto file = run_file(scratch, fmt::format("objective.name = \"{}\"\ntrain.steps = 250", objective));
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(run(scratch, command(file, scratch.path("whole"))).code, 0);
  const double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  RandomStream random(1, "kills");
  int killed = 0, runs = 0;
  for (; killed < kills; ++runs) {
    const std::string parts = scratch.path(fmt::format("parts-{}", runs));
    for (int code = -SIGKILL; code == -SIGKILL;) {
      Program program(scratch, command(file, parts));
      std::this_thread::sleep_for(std::chrono::duration<double>(random.uniform(0.1, 0.9) * whole));
      program.send(SIGKILL);
      code = program.wait().code;
      ASSERT_TRUE(code == 0 || code == -SIGKILL) << code;
      killed += code == 0 ? 0 : 1;
    }
    EXPECT_EQ(weights(parts), weights(scratch.path("whole"))) << killed << " kills";
    EXPECT_EQ(losses(parts), losses(scratch.path("whole")));
  }
  std::cout << fmt::format("{}: {} kills in {} runs; the weights are equal\n", objective, killed, runs);
}

TEST(TrainVerb, GoesOnToTheBitAfterKills) {
  survive("cvf", 2);
}

TEST(SlowTrainVerb, GoesOnToTheBitAfterTwentyKillsOfEach) {
  survive("cvf", 20);
  survive("node", 20);
}

TEST(TrainVerb, SavesAndTellsWhenItIsInterrupted) {
  const Scratch scratch;
  const auto file = run_file(scratch, "train.steps = 200000");
  Program program(scratch, command(file, scratch.path("run")));
  wait_for(scratch.path("run/last"));
  program.send(SIGTERM);
  const Ran ran = program.wait();
  EXPECT_EQ(ran.code, 8);
  EXPECT_NE(ran.err.find("the same command goes on from there"), std::string::npos) << ran.err;
}

TEST(TrainVerb, GivesTheSameLossesOnTwoRanksAsOnOneAndGoesOnWithAnotherNumber) {
  const Scratch scratch;
  const auto file = run_file(scratch, "train.steps = 50");
  ASSERT_EQ(run(scratch, command(file, scratch.path("one"))).code, 0);
  const Ran two = run(scratch, command(file, scratch.path("two"), {"--local-ranks", "2"}));
  ASSERT_EQ(two.code, 0) << two.err;
  const auto ours = losses(scratch.path("two")), alone = losses(scratch.path("one"));
  ASSERT_EQ(ours.size(), 50U);
  double worst = 0;
  for (std::size_t i = 0; i < 50; ++i) worst = std::max(worst, std::abs(ours[i] / alone[i] - 1));
  EXPECT_LT(worst, 1e-5);
  const Ran on = run(scratch, command(file, scratch.path("two"), {"--set", "train.steps=60"}));
  EXPECT_EQ(on.code, 0) << on.err;
  EXPECT_EQ(losses(scratch.path("two")).size(), 60U);
  std::cout << fmt::format("two ranks against one: losses differ by {:.1e} at most\n", worst);
}

std::vector<pid_t> children_of(pid_t parent) {
  std::ifstream in(fmt::format("/proc/{0}/task/{0}/children", parent));
  std::vector<pid_t> out;
  for (pid_t child = 0; in >> child;) out.push_back(child);
  return out;
}

TEST(TrainVerb, EndsWhenARankIsKilledAndListensToNobodyElseMeanwhile) {
  const Scratch scratch;
  const auto file = run_file(scratch, "train.steps = 200000");
  Program program(scratch, command(file, scratch.path("run"), {"--local-ranks", "2"}));
  wait_for(scratch.path("run/last"));
  const auto ranks = children_of(program.id());
  ASSERT_EQ(ranks.size(), 2U);
  for (const pid_t process : {program.id(), ranks[0], ranks[1]}) {
    std::istringstream all(testing_support::listeners(process));
    for (std::string one; std::getline(all, one);) EXPECT_TRUE(testing_support::is_loopback(one)) << one;
  }
  kill(ranks[1], SIGKILL);
  const Ran ran = program.wait();
  EXPECT_EQ(ran.code, 128 + SIGKILL);
  EXPECT_NE(ran.err.find("rank 1 of 2 was killed by signal 9"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find("Timed out"), std::string::npos) << ran.err;
}

// Started by hand, as torchrun or srun would: both ranks, each with settings of its own.
std::array<Ran, 2> two_ranks(const std::string& out, const std::array<Words, 2>& words) {
  const Scratch first, second;
  const std::string port = fmt::format("MASTER_PORT={}", testing_support::free_port());
  const auto start = [&](const Scratch& scratch, int rank) {
    Words all{fmt::format("RANK={}", rank), "WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1", port, CVF_PROGRAM};
    const auto& own = words[static_cast<std::size_t>(rank)];
    const auto rest = command(own[0], out, {own.begin() + 1, own.end()});
    all.insert(all.end(), rest.begin(), rest.end());
    return Program(scratch, all, "/usr/bin/env");
  };
  Program zero = start(first, 0), one = start(second, 1);
  Ran of_zero = zero.wait(), of_one = one.wait();
  return {std::move(of_zero), std::move(of_one)};
}

TEST(TrainVerb, RefusesRanksThatDoNotMeanTheSameRun) {
  const Scratch scratch;
  const auto file = run_file(scratch, "train.steps = 20");
  ASSERT_EQ(run(scratch, {"train", file, "--data-only"}).code, 0);
  const auto expect = [&](const Words& other, const std::string& sentence) {
    for (const auto& ran : two_ranks(scratch.path("run"), {Words{file}, other})) {
      EXPECT_EQ(ran.code, 3) << ran.err;
      EXPECT_NE(ran.err.find(sentence), std::string::npos) << ran.err;
    }
    EXPECT_FALSE(fs::exists(scratch.path("run"))) << "nothing was begun";
  };
  expect({file, "--set", "optimizer.rate=0.02"}, "rank 1 has optimizer.rate = 0.02, and rank 0 has 0.01:");
  expect({file, "--seed", "1"}, "rank 1 has seed = 1, and rank 0 has 0:");
  expect({file, "--set", "field.width=64"}, "rank 1 has field.width = 64, and rank 0 has 32:");
  ASSERT_EQ(run(scratch, {"data", "generate", "pendulum", "--out", scratch.path("other.h5"), "--samples",
                          "10", "--frames", "33", "--seed", "5"})
                .code,
            0);
  expect({file, "--set", "data.file=" + scratch.path("other.h5")},
         "rank 1 has the content of data.file = sha256:");

  fs::copy(scratch.path("data.h5"), scratch.path("copy.h5"));
  const auto good =
      two_ranks(scratch.path("run"), {Words{file}, {file, "--set", "data.file=" + scratch.path("copy.h5")}});
  EXPECT_EQ(good[0].code, 0) << good[0].err;
  EXPECT_EQ(good[1].code, 0) << good[1].err;
}

TEST(TrainVerb, LetsOneAtATimeIntoTheFolderOfARun) {
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

TEST(TrainVerb, OverwritesWhatARunWroteAndNothingElse) {
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

// A step of all that accumulates would take days, so that this ends shows that it was heard.
TEST(TrainVerb, HearsASignalInTheMidstOfAStep) {
  const Scratch scratch;
  const auto file = run_file(scratch, "train.steps = 20");
  for (const Words& ranks : {Words{}, Words{"--local-ranks", "2"}}) {
    Words more{"--set", "train.accumulate=1000000000"};
    more.insert(more.end(), ranks.begin(), ranks.end());
    const std::string out = scratch.path(fmt::format("long{}", ranks.size()));
    Program program(scratch, command(file, out, more));
    wait_for(out + "/log.jsonl");
    program.send(SIGTERM);
    const Ran ran = program.wait();
    EXPECT_EQ(ran.code, 8) << ran.err;
  }
}

TEST(TrainVerb, SaysThatItsFolderWasRemoved) {
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

TEST(TrainVerb, AnswersAFolderThatCannotBeWrittenWithOneSentence) {
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

TEST(TrainVerb, AnswersNonsenseWithOneSentence) {
  const Scratch scratch;
  const auto file = run_file(scratch, "train.steps = 5");
  const auto refusal = [&](const Words& words) {
    const Ran ran = run(scratch, words);
    EXPECT_NE(ran.code, 0);
    return ran.err;
  };
  EXPECT_EQ(refusal({"train"}), "cvf: RUN.toml is missing: the file that says what to train; see configs/\n");
  EXPECT_EQ(refusal({"train", "nowhere.toml"}),
            "cvf: nowhere.toml: cannot be opened; give the path of a TOML file\n");
  files::write_atomically(scratch.path("bare.toml"), "data.file = \"nowhere.h5\"\nfield.name = \"mlp\"\n");
  EXPECT_NE(refusal({"train", scratch.path("bare.toml")}).find("there is no such file (data.file)"),
            std::string::npos);
  EXPECT_NE(
      refusal(command(file, scratch.path("x"), {"--set", "loader.batch=5000"})).find("take a smaller batch"),
      std::string::npos);
  EXPECT_NE(refusal({"train", "--replay", scratch.path("run.toml")}).find("run.toml"), std::string::npos);
  fs::create_directories(scratch.path("mine"));
  files::write_atomically(scratch.path("mine/letter.txt"), "dear");
  EXPECT_NE(refusal(command(file, scratch.path("mine"), {"--overwrite"})).find("is not replaced"),
            std::string::npos);
  EXPECT_TRUE(fs::exists(scratch.path("mine/letter.txt")));
}

}  // namespace
}  // namespace cvf
