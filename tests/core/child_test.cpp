#include "core/child.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "core/files.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "support/scratch.hpp"

namespace cvf {
namespace {

using testing_support::Scratch;
using testing_support::sentence_of;

Child shell(const std::string& script, const std::string& output) {
  return Child({.arguments = {"sh", "-c", script},
                .environment = {{"CVF_WORD", "new"}},
                .output = output,
                .program = "/bin/sh"});
}

void wait_for(Child& child) {
  for (child.look(); !child.ended(); child.look()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

TEST(Child, LeavesItsExitCodeAndWhatItPrinted) {
  const Scratch scratch;
  Child child = shell("echo $CVF_WORD; echo trouble >&2; exit 3", scratch.path("out"));
  wait_for(child);
  EXPECT_TRUE(child.failed());
  EXPECT_EQ(child.code(), 3);
  EXPECT_EQ(child.fate(), "ended with exit code 3");
  EXPECT_EQ(files::read_whole(scratch.path("out")), "new\ntrouble\n");
}

TEST(Child, TellsThatASignalEndedIt) {
  const Scratch scratch;
  Child child = shell("sleep 60", scratch.path("out"));
  EXPECT_FALSE(child.ended());
  child.send(SIGKILL);
  wait_for(child);
  EXPECT_TRUE(child.killed());
  EXPECT_EQ(child.code(), 128 + SIGKILL);
}

TEST(FolderLock, LetsOnlyOneIn) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.path("study"));
  {
    const FolderLock first(scratch.path("study"));
    const auto sentence = sentence_of<UsageError>([&] { FolderLock second(scratch.path("study")); });
    EXPECT_NE(sentence.find(fmt::format("study: process {} on ", getpid())), std::string::npos) << sentence;
    EXPECT_TRUE(first.in_place());
    std::filesystem::remove(scratch.path("study/.lock"));
    EXPECT_FALSE(first.in_place());
    files::write_atomically(scratch.path("study/.lock"), "");
    EXPECT_FALSE(first.in_place()) << "another file of the same name";
  }
  EXPECT_NO_THROW(FolderLock(scratch.path("study")));
}

TEST(WriterLock, MakesASecondWriterWaitAndLeavesNothingBehind) {
  const Scratch scratch;
  log::set_level(log::Level::quiet);
  std::atomic<int> writers = 0, most = 0;
  std::vector<std::thread> all;
  for (int i = 0; i < 6; ++i) {
    all.emplace_back([&] {
      for (int turn = 0; turn < 5; ++turn) {
        const WriterLock lock(scratch.path("a.h5"));
        const int now = ++writers;
        if (now > most) most = now;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --writers;
      }
    });
  }
  for (auto& thread : all) thread.join();
  EXPECT_EQ(most, 1);
  EXPECT_FALSE(std::filesystem::exists(scratch.path("a.h5.lock")));
}

TEST(WriterLock, StopsWaitingWhenASignalComes) {
  const Scratch scratch;
  log::set_level(log::Level::quiet);
  const WriterLock first(scratch.path("a.h5"));
  interrupt::request();
  EXPECT_THROW(WriterLock(scratch.path("a.h5")), Interrupted);
  interrupt::clear();
}

}  // namespace
}  // namespace cvf
