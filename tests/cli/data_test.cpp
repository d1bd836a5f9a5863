#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/files.hpp"
#include "support/has.hpp"
#include "support/program.hpp"
#include "support/scratch.hpp"

namespace cvf::cli {
namespace {

using testing_support::has;
using testing_support::Program;
using testing_support::Ran;
using testing_support::run;
using testing_support::Scratch;

TEST(DataVerbs, GenerateInspectAuditConvertAndPictureFitTogether) {
  const Scratch scratch;
  const std::string file = scratch.path("wave.h5");
  Ran ran = run(scratch, {"data", "generate", "wave", "--out", file, "--samples", "10", "--grid", "24x16",
                          "--frames", "5"});
  ASSERT_EQ(ran.code, 0) << ran.err;

  ran = run(scratch, {"data", "inspect", file});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "5 frames = 4 steps, t = 0 to 0.04, spacing 0.01")) << ran.out;
  EXPECT_TRUE(has(ran.out, "16 x 24 (y x x)")) << ran.out;
  EXPECT_TRUE(has(ran.out, "periodic")) << ran.out;

  ran = run(scratch, {"data", "audit", file});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_TRUE(has(ran.out, "10 distinct initial frames")) << ran.out;

  ran = run(scratch, {"data", "convert", file, scratch.path("small.h5"), "--channels", "u", "--average", "2",
                      "--samples", "2:4", "--gzip", "1"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  ran = run(scratch, {"data", "inspect", scratch.path("small.h5"), "--json"});
  EXPECT_TRUE(has(ran.out, "\"nx\": 12")) << ran.out;

  ran = run(scratch, {"data", "picture", file, "--out", scratch.path("p.png")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(files::read_whole(scratch.path("p.png")).substr(1, 3), "PNG");
}

TEST(DataVerbs, AKilledGenerationContinuesToTheSameBytes) {
  const Scratch scratch;
  const auto arguments = [&](const std::string& name) -> std::vector<std::string> {
    return {"data",   "generate", "diffusion_reaction", "--out", scratch.path(name), "--samples", "60",
            "--grid", "64",       "--frames",           "40"};
  };
  ASSERT_EQ(run(scratch, arguments("whole.h5")).code, 0);
  int kills = 0;
  for (int milliseconds = 40; milliseconds < 4000; milliseconds += 90) {
    Program program(scratch, arguments("broken.h5"));
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    program.send(SIGKILL);
    const Ran ran = program.wait();
    if (ran.code == 0 || has(ran.err, "exists already"))
      break;  // the last kill may come after the file got its name
    ASSERT_EQ(ran.code, -SIGKILL) << ran.err;
    ++kills;
  }
  const Ran last = run(scratch, arguments("broken.h5"));
  ASSERT_TRUE(last.code == 0 || has(last.err, "exists already")) << last.err;
  EXPECT_GT(kills, 0);
  EXPECT_EQ(files::read_whole(scratch.path("whole.h5")), files::read_whole(scratch.path("broken.h5")));
}

TEST(DataVerbs, ATerminationSignalKeepsFinishedSamplesAndHasItsOwnCode) {
  const Scratch scratch;
  const std::vector<std::string> arguments{"data",
                                           "generate",
                                           "diffusion_reaction",
                                           "--out",
                                           scratch.path("a.h5"),
                                           "--samples",
                                           "2000",
                                           "--grid",
                                           "64",
                                           "--frames",
                                           "2",
                                           "--set",
                                           "system.burn_in=20"};
  Program program(scratch, arguments);
  const auto recorded = [&] {
    if (!std::filesystem::exists(scratch.path("a.h5.journal"))) return std::ptrdiff_t{0};
    const std::string journal = files::read_whole(scratch.path("a.h5.journal"));
    return std::count(journal.begin(), journal.end(), '\n');
  };
  while (recorded() < 3) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  program.send(SIGTERM);
  const Ran ran = program.wait();
  EXPECT_EQ(ran.code, 8) << ran.err;
  EXPECT_TRUE(has(ran.err, "the same command continues")) << ran.err;
  const std::string journal = files::read_whole(scratch.path("a.h5.journal"));
  EXPECT_GT(std::count(journal.begin(), journal.end(), '\n'), 1) << "finished samples must be recorded";
}

TEST(DataVerbs, BadInputGetsOneSentenceAndItsExitCode) {
  const Scratch scratch;
  const std::string file = scratch.path("p.h5");
  ASSERT_EQ(run(scratch, {"data", "generate", "pendulum", "--out", file, "--samples", "3"}).code, 0);
  struct Case {
    std::vector<std::string> arguments;
    int code;
    std::string part;
  };
  const std::vector<Case> cases{
      {{"data", "generate", "pendulm", "--out", "x"},
       2,
       "unknown system 'pendulm' (did you mean 'pendulum'?)"},
      {{"data", "generate", "pendulum", "--out", file}, 4, "exists already"},
      {{"data", "generate", "pendulum", "--out", "x", "--set", "system.frction=1"},
       3,
       "unknown key 'system.frction'"},
      {{"data", "generate", "pendulum", "--out", "x", "--samples", "-3"},
       3,
       "samples = -3 must be between 1 and"},
      {{"data", "generate", "pendulum"}, 2, "--out is missing"},
      {{"data", "inspect", scratch.path("missing.h5")}, 4, "missing.h5"},
      {{"data", "inspect", file, "--bogus"}, 2, "--bogus"},
      {{"data", "convert", file, scratch.path("o.h5"), "--samples", "1:9"},
       2,
       "--samples: 9 is outside 0..2"},
      {{"data", "convert", file, scratch.path("o.h5"), "--channels", "speed"}, 4, "no channel 'speed'"},
      {{"data", "picture", file, "--out", "x.png", "--sample", "7"}, 2, "no sample 7; it has 3"},
      {{"data"}, 2, "subcommand"},
      {{"explain", "lodaer"}, 2, "did you mean 'loader'?"},
      {{"--threads", "-1", "explain"}, 2, "--threads -1"},
  };
  for (const auto& c : cases) {
    const Ran ran = run(scratch, c.arguments);
    EXPECT_EQ(ran.code, c.code) << ran.err;
    EXPECT_TRUE(has(ran.err, c.part)) << ran.err;
  }
}

TEST(DataVerbs, AuditHasItsOwnExitCodeForFaults) {
  const Scratch scratch;
  const std::string file = scratch.path("p.h5");
  ASSERT_EQ(run(scratch, {"data", "generate", "pendulum", "--out", file, "--samples", "30"}).code, 0);
  ASSERT_EQ(run(scratch, {"data", "convert", file, scratch.path("twice.h5"), "--samples", "0:30,0:10"}).code,
            0);
  const Ran ran = run(scratch, {"data", "audit", scratch.path("twice.h5"), "--json"});
  EXPECT_EQ(ran.code, 7) << ran.err;
  EXPECT_TRUE(has(ran.out, "\"trajectory_classes\": 30")) << ran.out;
  EXPECT_TRUE(has(ran.out, "\"leaked_test\": 4")) << ran.out;
}

TEST(DataVerbs, AuditExplainsTheDuplicatesOfThePublishedShallowWaterFile) {
  const Scratch scratch;
  const std::string file = scratch.path("sw.h5");
  const Ran made = run(scratch, {"data", "generate", "shallow_water", "--out", file, "--samples", "1000",
                                 "--frames", "2", "--set", "system.preset=pdebench"});
  ASSERT_EQ(made.code, 0) << made.err;
  const Ran ran = run(scratch, {"data", "audit", file, "--json", "--train", "0:900", "--test", "900:1000"});
  EXPECT_EQ(ran.code, 7) << ran.err;
  EXPECT_TRUE(has(ran.out, "\"initial_classes\": 81")) << ran.out;
  EXPECT_TRUE(has(ran.out, "\"trajectory_classes\": 81"));
  EXPECT_TRUE(has(ran.out, "\"largest_class\": 38"));
  EXPECT_TRUE(has(ran.out, "\"leaked_test\": 100"));
}

TEST(Explain, EveryTableIsExplained) {
  const Scratch scratch;
  const Ran list = run(scratch, {"explain"});
  EXPECT_EQ(list.code, 0);
  for (const char* table : {"generate", "split", "downsampling", "loader", "system", "diffusion_reaction",
                            "pendulum", "field", "normalizer", "objective"}) {
    EXPECT_TRUE(has(list.out, table)) << table;
    const Ran ran = run(scratch, {"explain", table});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_GT(ran.out.size(), 100U);
  }
}

}  // namespace
}  // namespace cvf::cli
