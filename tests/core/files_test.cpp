#include "core/files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "core/config.hpp"
#include "core/errors.hpp"
#include "core/hash.hpp"
#include "core/interrupt.hpp"
#include "support/scratch.hpp"

namespace cvf::files {
namespace {

std::size_t entries(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(Files, AtomicWriteReplacesTheWholeContent) {
  const testing_support::Scratch scratch;
  write_atomically(scratch.path("a"), std::string_view("a long first content"));
  write_atomically(scratch.path("a"), std::string_view("short"));
  EXPECT_EQ(read_whole(scratch.path("a")), "short");
  EXPECT_EQ(entries(scratch.path("")), 1U);
}

TEST(Files, AFailedWriteLeavesTheOldFileAndNoLitter) {
  const testing_support::Scratch scratch;
  write_atomically(scratch.path("a"), std::string_view("old"));
  EXPECT_THROW(write_atomically(scratch.path("a"),
                                [](const std::string& temporary) {
                                  write_atomically(temporary, std::string_view("half"));
                                  throw DataError("disk full");
                                }),
               DataError);
  EXPECT_EQ(read_whole(scratch.path("a")), "old");
  EXPECT_EQ(entries(scratch.path("")), 1U);
}

TEST(Files, AMissingFolderIsAnErrorThatNamesTheFile) {
  const testing_support::Scratch scratch;
  try {
    write_atomically(scratch.path("no/such/folder"), std::string_view("x"));
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("no/such/folder"), std::string::npos) << error.what();
  }
}

// A folder can be opened and not be read, as a file on a bad disk.
TEST(Files, WhatCannotBeReadIsNotEmpty) {
  const testing_support::Scratch scratch;
  EXPECT_NE(testing_support::sentence_of([&] {
              read_whole(scratch.path(""));
            }).find("reading failed: Is a directory"),
            std::string::npos);
  EXPECT_THROW(config::Document::from_file(scratch.path("")), ConfigError);
  write_atomically(scratch.path("empty"), std::string_view());
  EXPECT_EQ(read_whole(scratch.path("empty")), "");
}

TEST(Files, ATextWithoutEndIsRefusedAtItsBound) {
  const testing_support::Scratch scratch;
  write_atomically(scratch.path("a"), std::string_view("12345"));
  EXPECT_EQ(read_whole(scratch.path("a"), 5), "12345");
  EXPECT_EQ(testing_support::sentence_of([&] { read_whole(scratch.path("a"), 4); }),
            scratch.path("a") + ": has more than the 4 B that such a file may have");
  try {
    config::Document::from_file("/dev/zero");
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("/dev/zero: has more than the 16.8 MB"), std::string::npos)
        << error.what();
  }
}

class Pipe : public testing::Test {
 protected:
  Pipe() { EXPECT_EQ(mkfifo(path_.c_str(), 0600), 0); }
  ~Pipe() override { interrupt::clear(); }
  testing_support::Scratch scratch_;
  std::string path_ = scratch_.path("pipe");
};

TEST_F(Pipe, IsReadToItsEnd) {
  std::thread writer([this] { std::ofstream(path_) << "seed = 1"; });
  EXPECT_EQ(read_whole(path_), "seed = 1");
  writer.join();
}

TEST_F(Pipe, WithoutAWriterIsWaitedForUntilASignalComes) {
  interrupt::request_after(2);
  EXPECT_THROW(read_whole(path_), Interrupted);
}

TEST_F(Pipe, IsRefusedWhereARegularFileIsNeeded) {
  EXPECT_EQ(testing_support::sentence_of([&] { require_regular(path_); }),
            path_ + ": is a pipe, and a regular file is needed here; copy its content into one");
  EXPECT_THROW(require_regular("/dev/zero"), DataError);
  EXPECT_THROW(require_regular(scratch_.path("")), DataError);
  write_atomically(scratch_.path("a"), std::string_view("x"));
  require_regular(scratch_.path("a"));
}

TEST(Files, OneFileIsTheSameUnderEveryName) {
  const testing_support::Scratch scratch;
  write_atomically(scratch.path("a"), std::string_view("same"));
  write_atomically(scratch.path("twin"), std::string_view("same"));
  std::filesystem::create_symlink("a", scratch.path("soft"));
  std::filesystem::create_hard_link(scratch.path("a"), scratch.path("hard"));
  for (const char* name : {"a", "soft", "hard", "./a"})
    EXPECT_TRUE(same_file(scratch.path("a"), scratch.path(name))) << name;
  for (const char* name : {"twin", "missing"})
    EXPECT_FALSE(same_file(scratch.path("a"), scratch.path(name))) << name;
  EXPECT_FALSE(same_file(scratch.path("missing"), scratch.path("missing")));
}

TEST(Hash, MatchesTheStandardsExample) {
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const testing_support::Scratch scratch;
  write_atomically(scratch.path("abc"), std::string_view("abc"));
  EXPECT_EQ(sha256_of_file(scratch.path("abc")), sha256("abc"));
}

}  // namespace
}  // namespace cvf::files
