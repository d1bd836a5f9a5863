// How the ranks of a launch find each other through files: fresh and stale ones, two launches, signals.
#include "train/distributed/rendezvous.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <set>
#include <sstream>
#include <thread>
#include <torch/csrc/distributed/c10d/FileStore.hpp>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/interrupt.hpp"
#include "support/listeners.hpp"
#include "support/scratch.hpp"
#include "train/distributed/process_group.hpp"

namespace cvf::train {
namespace {

namespace fs = std::filesystem;
using testing_support::Scratch;
using testing_support::sentence_of;

constexpr double ten_minutes = 600;

Membership member(int rank, int size, const std::string& launch = "launch") {
  return {.rank = rank, .size = size, .address = "127.0.0.1", .launch = launch};
}

// What a rank says when it could not join; "" when it could, and the sum over all was right.
std::string join(const std::string& folder, const Membership& rank, double seconds = ten_minutes) {
  try {
    auto group = ProcessGroup::join(folder, {.join_timeout = seconds}, rank);
    return group.sum(1.0) == rank.size ? "" : "a wrong sum";
  } catch (const Error& error) {
    return error.what();
  }
}

// Ranks in threads of one process; those that were left out never come.
std::vector<std::string> join_all(const std::string& folder, const std::vector<Membership>& ranks,
                                  double seconds = ten_minutes) {
  std::vector<std::future<std::string>> running;
  for (const auto& rank : ranks)
    running.push_back(std::async(std::launch::async, [&, rank] { return join(folder, rank, seconds); }));
  std::vector<std::string> out;
  for (auto& one : running) out.push_back(one.get());
  return out;
}

using Texts = std::vector<std::string>;

// The file that the ranks of a launch read first.
fs::path name_file(const Scratch& scratch) {
  for (const auto& item : fs::directory_iterator(scratch.path(".ranks"))) {
    if (item.path().extension().empty()) return item.path();
  }
  return {};
}

void wait_for_name_file(const Scratch& scratch) {
  while (!fs::exists(scratch.path(".ranks")) || name_file(scratch).empty())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// What a launch leaves whose rank 0 was killed while it waited for the others.
void leave_stale_files(const Scratch& scratch, int size) {
  auto rank = std::async(std::launch::async, [&] { return join(scratch.path(""), member(0, size)); });
  wait_for_name_file(scratch);
  fs::copy(scratch.path(".ranks"), scratch.path("kept"), fs::copy_options::recursive);
  interrupt::request();
  rank.wait();
  interrupt::clear();
  fs::rename(scratch.path("kept"), scratch.path(".ranks"));
  fs::permissions(scratch.path(".ranks"), fs::perms::owner_all);
}

TEST(Rendezvous, JoinsTwoAndThreeRanksAndLeavesNothingBehind) {
  const Scratch scratch;
  EXPECT_EQ(join_all(scratch.path("run"), {member(0, 2), member(1, 2)}), Texts(2));
  EXPECT_EQ(join_all(scratch.path("run"), {member(2, 3), member(1, 3), member(0, 3)}), Texts(3));
  EXPECT_FALSE(fs::exists(scratch.path("run")));
}

TEST(Rendezvous, IgnoresTheFilesOfALaunchThatWasKilled) {
  const Scratch scratch;
  leave_stale_files(scratch, 2);
  ASSERT_TRUE(fs::exists(name_file(scratch)));
  // Rank 1 comes first, finds the stale file and writes its arrival there.
  auto late = std::async(std::launch::async, [&] { return join(scratch.path(""), member(1, 2)); });
  const fs::path stale = scratch.path(".ranks/" + files::read_whole(name_file(scratch).string()));
  while (fs::file_size(stale) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(join(scratch.path(""), member(0, 2)), "");
  EXPECT_EQ(late.get(), "");
  EXPECT_FALSE(fs::exists(scratch.path(".ranks")));
}

TEST(Rendezvous, DoesNotTakeACompleteStaleFileForItsOwnLaunch) {
  const Scratch scratch;
  leave_stale_files(scratch, 2);
  {
    const std::string file = files::read_whole(name_file(scratch).string());
    ::c10d::FileStore stale(scratch.path(".ranks/" + file), -1);
    const std::string tokens = "of earlier ranks";
    stale.set("complete", {tokens.begin(), tokens.end()});
  }
  const auto said = join(scratch.path(""), member(1, 2), 0.5);
  EXPECT_NE(said.find("rank 1 of 2 waited 0.5 s"), std::string::npos) << said;
}

TEST(Rendezvous, KeepsTwoLaunchesInOneFolderApart) {
  const Scratch scratch;
  const auto said = join_all(scratch.path(""),
                             {member(0, 2, "a"), member(0, 2, "b"), member(1, 2, "b"), member(1, 2, "a")});
  EXPECT_EQ(said, Texts(4));
}

TEST(Rendezvous, NamesTheRanksThatDidNotCome) {
  const Scratch scratch;
  const auto said = join_all(scratch.path(""), {member(0, 4), member(2, 4)}, 1.5);
  EXPECT_NE(said[0].find("rank 0 of 4 waited 1.5 s"), std::string::npos) << said[0];
  EXPECT_NE(said[0].find("for ranks 1, 3; start every rank"), std::string::npos) << said[0];
  EXPECT_FALSE(fs::exists(scratch.path(".ranks")));
  const auto alone = join(scratch.path(""), member(1, 2), 0.1);
  EXPECT_NE(alone.find("for rank 0; start every rank"), std::string::npos) << alone;
}

TEST(Rendezvous, IsLeftAtOnceOnASignal) {
  const Scratch scratch;
  for (const int rank : {0, 1}) {
    auto waiting = std::async(std::launch::async, [&] { return join(scratch.path(""), member(rank, 2)); });
    if (rank == 0) wait_for_name_file(scratch);
    interrupt::request();
    EXPECT_NE(waiting.get().find("the ranks had not met yet"), std::string::npos);
    interrupt::clear();
    EXPECT_FALSE(fs::exists(scratch.path(".ranks")));
  }
}

TEST(Rendezvous, MakesAFolderThatOnlyThisUserCanOpenAndRefusesAnyOther) {
  const Scratch scratch;
  auto waiting = std::async(std::launch::async, [&] { return join(scratch.path("run"), member(0, 2)); });
  while (!fs::exists(scratch.path("run/.ranks"))) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  struct stat found = {};
  ASSERT_EQ(stat(scratch.path("run/.ranks").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700U);
  interrupt::request();
  waiting.wait();
  interrupt::clear();

  fs::create_directory(scratch.path(".ranks"));
  fs::permissions(scratch.path(".ranks"), fs::perms::owner_all | fs::perms::group_all);
  for (const int rank : {0, 1}) {
    const auto said = join(scratch.path(""), member(rank, 2));
    EXPECT_NE(said.find(".ranks: must be a directory of this user with mode 0700"), std::string::npos) << said;
  }
  fs::remove(scratch.path(".ranks"));
  fs::create_directory(scratch.path("elsewhere"));
  fs::create_directory_symlink(scratch.path("elsewhere"), scratch.path(".ranks"));
  EXPECT_NE(join(scratch.path(""), member(0, 2)).find("mode 0700"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(scratch.path("elsewhere")));
}

TEST(Rendezvous, ListensOnLoopbackOnlyForRanksOfOneMachine) {
  const Scratch scratch;
  std::set<std::string> seen;
  std::atomic<bool> met = false;
  std::thread watch([&] {
    while (!met) {
      std::istringstream now(testing_support::listeners());
      for (std::string one; std::getline(now, one);) seen.insert(one);
    }
  });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(join_all(scratch.path(""), {member(0, 2), member(1, 2)}), Texts(2));
  met = true;
  watch.join();
  for (const auto& one : seen) EXPECT_TRUE(testing_support::is_loopback(one)) << one;
}

TEST(Rendezvous, SaysThatRankZerosMachineIsUnknown) {
  const Scratch scratch;
  std::vector<Membership> ranks{member(0, 2), member(1, 2)};
  for (auto& rank : ranks) rank.address = "no-such-machine.invalid";
  for (const auto& said : join_all(scratch.path(""), ranks))
    EXPECT_NE(said.find("MASTER_ADDR = 'no-such-machine.invalid'"), std::string::npos) << said;
}

}  // namespace
}  // namespace cvf::train
