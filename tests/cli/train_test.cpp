// `cvf train` as a user meets it: killed at any moment, spread over ranks, fed with nonsense.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <thread>

#include "core/files.hpp"
#include "core/random.hpp"
#include "support/listeners.hpp"
#include "support/train_command.hpp"

namespace cvf {
namespace {

namespace fs = std::filesystem;
using testing_support::children_of;
using testing_support::command;
using testing_support::losses_of;
using testing_support::Program;
using testing_support::Ran;
using testing_support::run;
using testing_support::run_file;
using testing_support::Scratch;
using testing_support::wait_for;
using testing_support::weights;
using Words = std::vector<std::string>;

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
    EXPECT_EQ(losses_of(parts), losses_of(scratch.path("whole")));
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
  const auto ours = losses_of(scratch.path("two")), alone = losses_of(scratch.path("one"));
  ASSERT_EQ(ours.size(), 50U);
  double worst = 0;
  for (std::size_t i = 0; i < 50; ++i) worst = std::max(worst, std::abs(ours[i] / alone[i] - 1));
  EXPECT_LT(worst, 1e-5);
  const Ran on = run(scratch, command(file, scratch.path("two"), {"--set", "train.steps=60"}));
  EXPECT_EQ(on.code, 0) << on.err;
  EXPECT_EQ(losses_of(scratch.path("two")).size(), 60U);
  std::cout << fmt::format("two ranks against one: losses differ by {:.1e} at most\n", worst);
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
  expect({file, "--set", "optimizer.learning_rate=0.02"},
         "rank 1 has optimizer.learning_rate = 0.02, and rank 0 has 0.01:");
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

TEST(TrainVerb, WarnsOfAModelThatIsWorseThanTheMeanState) {
  const Scratch scratch;
  const auto file = run_file(scratch, "train.steps = 1");
  const std::string verdict = "this model is worse than ", out = scratch.path("run");
  for (const char* samples : {"0", "1"}) {  // by the validation samples, by those of the test
    const std::string evaluated = std::string("evaluation.samples=") + samples;
    const Ran one_step = run(scratch, command(file, out, {"--set", evaluated}));
    EXPECT_EQ(one_step.code, 0);
    EXPECT_NE(one_step.err.find("warning: " + out + ": " + verdict), std::string::npos) << one_step.err;
    if (samples == std::string("0")) {
      EXPECT_NE(one_step.err.find(" and the mean state ("), std::string::npos) << one_step.err;
    }
    EXPECT_NE(one_step.err.find("Likely reason: only 1 step of training; try the same command with --set "
                                "train.steps=2000."),
              std::string::npos)
        << one_step.err;
  }
  const Ran bad = run(scratch, {"evaluate", out});
  EXPECT_EQ(bad.code, 0);
  EXPECT_TRUE(bad.out.starts_with("WARNING: " + verdict)) << bad.out;
  EXPECT_NE(files::read_whole(out + "/evaluation.json").find("\"warning\": \"" + verdict), std::string::npos);

  const Ran longer = run(scratch, command(file, out,
                                          {"--set", "train.steps=1500", "--set", "evaluation.samples=1",
                                           "--set", "checkpoint.steps=500"}));
  EXPECT_EQ(longer.code, 0);
  EXPECT_EQ(longer.err.find(verdict), std::string::npos) << longer.err;
  EXPECT_EQ(run(scratch, {"evaluate", out}).out.find("WARNING"), std::string::npos);
  EXPECT_EQ(files::read_whole(out + "/evaluation.json").find("\"warning\""), std::string::npos);
}

TEST(TrainVerb, NamesTheBoundOfARunThatWasFinishedBefore) {
  const Scratch scratch;
  const auto file = run_file(scratch, "train.steps = 30\ntrain.minutes = 1e-9");
  const std::string out = scratch.path("run");
  EXPECT_EQ(run(scratch, command(file, out)).code, 0);
  const Ran again = run(scratch, command(file, out, {"--set", "train.steps=400"}));
  EXPECT_EQ(again.code, 0);
  EXPECT_NE(
      again.err.find("was finished before, after 1 steps, by train.minutes = 1e-09; --set train.minutes="),
      std::string::npos)
      << again.err;
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
