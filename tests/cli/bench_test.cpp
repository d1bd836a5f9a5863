// `cvf bench` keeps nothing, so a signal ends it at once.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/has.hpp"
#include "support/program.hpp"

namespace cvf {
namespace {

using testing_support::Program;
using testing_support::Scratch;

// Whether cvf-models runs, and no longer dies by SIGTERM itself: before that the test says nothing.
bool takes_signals(pid_t process) {
  const std::string folder = "/proc/" + std::to_string(process);
  std::error_code gone;
  const auto program = std::filesystem::read_symlink(folder + "/exe", gone).filename();
  const std::string status = files::read_whole(folder + "/status"), key = "SigCgt:";
  const auto caught = std::stoull(status.substr(status.find(key) + key.size()), nullptr, 16);
  return program == "cvf-models" && (caught >> (SIGTERM - 1) & 1) != 0;
}

TEST(Bench, EndsAtASignalBeforeItsFigures) {
  const Scratch scratch;
  Program bench(scratch, {"bench", "field", "--only", "mlp", "--threads", "1", "--repeats", "3", "--json"});
  for (int i = 0; i < 60000 && !takes_signals(bench.id()); ++i) usleep(1000);
  bench.send(SIGTERM);
  const auto ran = bench.wait();
  EXPECT_EQ(ran.code, 8) << ran.err;
  EXPECT_EQ(ran.err, "cvf: interrupted; nothing was written\n");
  EXPECT_EQ(ran.out, "");
}

}  // namespace
}  // namespace cvf
