#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/machine.hpp"
#include "support/has.hpp"
#include "support/scratch.hpp"

namespace cvf::memory {
namespace {

TEST(Memory, SizesBeyondAllReasonAreRefusedAndWritten) {
  EXPECT_GT(available(), 1e6);
  EXPECT_FALSE(exceeds(0));
  for (const double size : {1e18, 1e300, static_cast<double>(INFINITY), static_cast<double>(NAN)})
    EXPECT_TRUE(exceeds(size)) << size;
  EXPECT_EQ(words(1.5e300), "1.5e+300 bytes");
  EXPECT_TRUE(testing_support::has(shortage(1e15), "need about 1 PB of memory, and ")) << shortage(1e15);
}

TEST(Memory, AFileThatDoesNotFitIsNotRead) {
  const testing_support::Scratch scratch;
  const std::string path = scratch.path("sparse");
  std::ofstream(path) << "x";
  std::error_code failed;
  std::filesystem::resize_file(path, 8'000'000'000'000, failed);
  if (failed) GTEST_SKIP() << "this disk has no sparse files of 8 TB";
  const std::string said = testing_support::sentence_of([&] { files::read_whole(path); });
  EXPECT_TRUE(testing_support::has(said, path + ": its ")) << said;
}

}  // namespace
}  // namespace cvf::memory
