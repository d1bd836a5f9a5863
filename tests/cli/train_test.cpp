// `cvf train` as a user meets it: killed at any moment, spread over ranks, fed with nonsense.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/files.hpp"
#include "core/random.hpp"
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
  while (!fs::exists(scratch.path("run/last"))) std::this_thread::sleep_for(std::chrono::milliseconds(50));
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

TEST(TrainVerb, EndsWithinSecondsWhenARankIsKilled) {
  const Scratch scratch;
  const auto file = run_file(scratch, "train.steps = 200000");
  Program program(scratch, command(file, scratch.path("run"), {"--local-ranks", "2"}));
  while (!fs::exists(scratch.path("run/last"))) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto ranks = children_of(program.id());
  ASSERT_EQ(ranks.size(), 2U);
  const auto begin = std::chrono::steady_clock::now();
  kill(ranks[1], SIGKILL);
  const Ran ran = program.wait();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_LT(seconds, 30);
  EXPECT_NE(ran.code, 0);
  EXPECT_NE(ran.err.find("rank 1"), std::string::npos) << ran.err;
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
