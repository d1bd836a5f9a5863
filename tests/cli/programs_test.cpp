// cvf without LibTorch, and cvf-models beside it.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/has.hpp"
#include "support/program.hpp"

namespace cvf {
namespace {

namespace fs = std::filesystem;
using testing_support::has;
using testing_support::Program;
using testing_support::Ran;
using testing_support::run;
using testing_support::Scratch;

const std::string models = std::string(CVF_PROGRAM) + "-models";

Ran libraries_of(const Scratch& scratch, const std::string& program) {
  return Program(scratch, {program}, "/usr/bin/ldd").wait();
}

TEST(Programs, TheProgramItselfDoesNotLoadLibTorch) {
  const Scratch scratch;
  const Ran heavy = libraries_of(scratch, models);
  ASSERT_TRUE(has(heavy.out, "libtorch")) << "else this test sees nothing: " << heavy.out;
  for (const auto& program : {std::string(CVF_PROGRAM), std::string(CVF_PROGRAM) + "-probe"}) {
    const Ran light = libraries_of(scratch, program);
    ASSERT_EQ(light.code, 0) << light.err;
    for (const auto* library : {"libtorch", "libc10", "libopenblas", "libgloo"})
      EXPECT_FALSE(has(light.out, library)) << program << ":\n" << light.out;
  }
}

TEST(Programs, BothSayTheSame) {
  const Scratch scratch;
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--help"},
                                                {"--version"},
                                                {"train", "--help"},
                                                {"--quiet", "rollout", "--help"},
                                                {"evaluate", "--definitions"},
                                                {"explain"},
                                                {"explain", "run"},
                                                {"explain", "solver"},
                                                {"explain", "objective"},
                                                {"completion", "bash"},
                                                {"bench"},
                                                {"trian"},
                                                {"train", "--sett", "a=1"},
                                                {"--threads", "-2", "train"},
                                                {"rollout"},
                                                {"data", "inspect", "--nonsense"}}) {
    const Ran light = run(scratch, words), heavy = Program(scratch, words, models).wait();
    EXPECT_EQ(light.code, heavy.code) << words.front();
    EXPECT_EQ(light.out, heavy.out);
    EXPECT_EQ(light.err, heavy.err);
  }
}

TEST(Programs, AnInstallationThatLacksTheOtherProgramSaysSo) {
  const Scratch scratch;
  const std::string alone = scratch.path("cvf");
  fs::copy_file(CVF_PROGRAM, alone);
  const Ran plain = Program(scratch, {"--version"}, alone).wait();
  EXPECT_EQ(plain.code, 0) << plain.err;
  for (const std::vector<std::string>& words : {std::vector<std::string>{"train", "mine.toml"},
                                                {"--threads", "1", "evaluate", "x"},
                                                {"explain", "run"}}) {
    const Ran ran = Program(scratch, words, alone).wait();
    EXPECT_EQ(ran.code, 1);
    EXPECT_TRUE(has(ran.err, "cvf-models: No such file or directory; this verb is in cvf-models")) << ran.err;
  }
}

}  // namespace
}  // namespace cvf
