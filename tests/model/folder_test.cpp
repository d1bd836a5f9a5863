#include "model/folder.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <csignal>
#include <fstream>
#include <set>
#include <thread>

#include "core/files.hpp"
#include "model/opened.hpp"
#include "support/scratch.hpp"

namespace cvf::model::folder {
namespace {

using testing_support::Scratch;
using testing_support::sentence_of;
namespace fs = std::filesystem;

const Files first{{"a.toml", "one"}, {"b.bin", std::string(5000, '1')}};
const Files second{{"a.toml", "two"}, {"b.bin", std::string(7000, '2')}};

Files read_both(const std::string& path) {
  return read(path, std::array<std::string_view, 2>{"a.toml", "b.bin"});
}

std::string refusal(const std::string& path) {
  return sentence_of<ModelError>([&] { read_both(path); });
}

// Runs `act` in a process of its own that may die; it touches files only.
int exit_code_of(const std::function<void()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    act();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Replaces first by second and dies right after step number `last`. False when there are not so many steps.
bool dies_after(int last, const std::string& path) {
  return exit_code_of([&] {
           int step = 0;
           replace(path, second, [&](std::string_view) {
             if (step++ == last) _exit(9);
           });
         }) == 9;
}

std::set<std::string> names_in(const std::string& path) {
  std::set<std::string> out;
  for (const auto& item : fs::directory_iterator(path)) out.insert(item.path().filename().string());
  return out;
}

TEST(Folder, HoldsTheFilesAndAManifestThatSha256sumUnderstands) {
  const Scratch scratch;
  replace(scratch.path("deep/er/model/"), first);
  EXPECT_EQ(names_in(scratch.path("deep/er")), std::set<std::string>{"model"});
  EXPECT_EQ(names_in(scratch.path("deep/er/model")),
            (std::set<std::string>{"a.toml", "b.bin", "SHA256SUMS"}));
  EXPECT_EQ(read_both(scratch.path("deep/er/model")), first);
  const std::string manifest = files::read_whole(scratch.path("deep/er/model/SHA256SUMS"));
  EXPECT_EQ(manifest.substr(0, 22), "# cvf model, format 1\n");
  // sha256 of "one"
  EXPECT_NE(manifest.find("7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed  a.toml\n"),
            std::string::npos);
}

TEST(Folder, ACrashAfterAnyStepLeavesTheOldOrTheNewOne) {
  bool seen_first = false, seen_second = false;
  int steps = 0;
  for (bool more = true; more; ++steps) {
    const Scratch scratch;
    const std::string path = scratch.path("model");
    replace(path, first);
    more = dies_after(steps, path);
    const Files found = read_both(path);
    ASSERT_TRUE(found == first || found == second) << "after step " << steps;
    ASSERT_FALSE(seen_second && found == first) << "the old one came back after step " << steps;
    (found == first ? seen_first : seen_second) = true;

    replace(path, first);  // the next replacement clears what the crash left
    EXPECT_EQ(read_both(path), first);
    EXPECT_EQ(names_in(scratch.path("")), std::set<std::string>{"model"}) << "after step " << steps;
  }
  EXPECT_TRUE(seen_first && seen_second);
  EXPECT_EQ(steps, 8);  // tidy, two files, manifest, two renames, removal, and one run to the end
}

TEST(Folder, ACrashTwiceInARowStillLeavesTheOldOne) {
  for (const int once : {1, 4, 5}) {  // while writing, between the renames, before the removal
    for (int twice = 0; twice < 7; ++twice) {
      const Scratch scratch;
      const std::string path = scratch.path("model");
      replace(path, first);
      ASSERT_TRUE(dies_after(once, path));
      ASSERT_TRUE(dies_after(twice, path));
      const Files found = read_both(path);
      EXPECT_TRUE(found == first || found == second) << once << ", " << twice;
    }
  }
}

TEST(Folder, KilledAtRandomMomentsItIsAlwaysReadable) {
  const Scratch scratch;
  const std::string path = scratch.path("model");
  replace(path, first);
  for (unsigned round = 0; round < 40; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      while (true) {
        replace(path, second);
        replace(path, first);
      }
    }
    usleep(1000 + 977 * (round % 13));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const Files found = read_both(path);
    ASSERT_TRUE(found == first || found == second) << "round " << round;
  }
}

// The first file is so large that the second is often opened in another folder than the first.
TEST(Folder, AReaderNeverSeesHalfOfAReplacement) {
  const Scratch scratch;
  const std::string path = scratch.path("model");
  const std::array<Files, 2> both{Files{{"a.toml", std::string(8 << 20, '1')}, {"b.bin", "1"}},
                                  Files{{"a.toml", std::string(8 << 20, '2')}, {"b.bin", "2"}}};
  replace(path, both[0]);
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (std::size_t i = 1; i < 25; ++i) replace(path, both[i % 2]);
    stop = true;
  });
  while (!stop) {
    Files found;
    EXPECT_NO_THROW(found = read_both(path));
    EXPECT_TRUE(found == both[0] || found == both[1]);
  }
  writer.join();
}

// Opened once, a folder stays the one that it was, through any number of replacements: a sum of one and a
// file of another never meet, however the two processes are scheduled.
TEST(Folder, AnOpenedOneIsNotMixedWithItsSuccessors) {
  const Scratch scratch;
  const std::string path = scratch.path("model");
  replace(path, first);
  const Opened opened(path);
  for (int i = 0; i < 5; ++i) {
    replace(path, i % 2 == 0 ? second : first);
    EXPECT_FALSE(opened.is_still(path)) << "replacement " << i;
    EXPECT_FALSE(opened.content("a.toml").has_value()) << "replacement " << i;
  }
  EXPECT_TRUE(Opened(path).is_still(path));
}

TEST(Folder, ADiskThatIsFullLeavesTheOldOne) {
  const Scratch scratch;
  const std::string path = scratch.path("model");
  replace(path, first);
  const int code = exit_code_of([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit small{6000, 6000};  // a file of 7000 bytes cannot be written
    setrlimit(RLIMIT_FSIZE, &small);
    try {
      replace(path, second);
    } catch (const ModelError&) {
      _exit(7);
    }
  });
  EXPECT_EQ(code, 7);
  EXPECT_EQ(read_both(path), first);
  EXPECT_EQ(names_in(scratch.path("")), std::set<std::string>{"model"});
}

TEST(Folder, SomebodysOwnFilesAreNotReplaced) {
  const Scratch scratch;
  fs::create_directories(scratch.path("notes"));
  files::write_atomically(scratch.path("notes/thesis.txt"), "years of work");
  EXPECT_EQ(sentence_of<ModelError>([&] { replace(scratch.path("notes"), first); }),
            scratch.path("notes") +
                ": the folder holds 'thesis.txt', which is no part of a model, so it is not replaced");
  EXPECT_EQ(files::read_whole(scratch.path("notes/thesis.txt")), "years of work");
  files::write_atomically(scratch.path("file"), "x");
  EXPECT_EQ(sentence_of<ModelError>([&] { replace(scratch.path("file"), first); }),
            scratch.path("file") + ": there is a file in the place of the model");
}

TEST(Folder, WhatSomebodyPutBesideAModelStaysThere) {
  const Scratch scratch;
  const std::string path = scratch.path("model");
  replace(path, first);
  files::write_atomically(path + "/notes.txt", "mine");
  fs::create_directories(path + "/a.toml.tmp1");  // only its name is like one of ours
  files::write_atomically(path + "/a.toml.tmp1/thesis.txt", "years of work");
  EXPECT_EQ(read_both(path), first);
  for (int step = 0; dies_after(step, path); ++step)
    EXPECT_NO_THROW(read_both(path)) << "after step " << step;
  EXPECT_EQ(read_both(path), second);
  EXPECT_EQ(files::read_whole(path + "/notes.txt"), "mine");
  EXPECT_EQ(files::read_whole(path + "/a.toml.tmp1/thesis.txt"), "years of work");
  EXPECT_EQ(names_in(scratch.path("")), std::set<std::string>{"model"});
}

TEST(Folder, RemovingOneTakesItsFilesAndNothingElse) {
  const Scratch scratch;
  const std::string path = scratch.path("model");
  replace(path, first);
  EXPECT_TRUE(remove(path).empty());
  EXPECT_FALSE(fs::exists(path));
  replace(path, first);
  files::write_atomically(path + "/notes.txt", "mine");
  EXPECT_EQ(remove(path), std::vector{path + "/notes.txt"});
  EXPECT_EQ(names_in(path), (std::set<std::string>{"notes.txt", "SHA256SUMS"}));
  replace(path, second);
  EXPECT_EQ(read_both(path), second);
  EXPECT_EQ(files::read_whole(path + "/notes.txt"), "mine");
  EXPECT_TRUE(remove(scratch.path("nowhere")).empty());
}

TEST(Folder, WhatIsMissingOrOfAnotherFormatIsNamed) {
  const Scratch scratch;
  const std::string path = scratch.path("model");
  EXPECT_EQ(refusal(path), path + ": there is no folder with a model");
  fs::create_directories(path);
  EXPECT_EQ(refusal(path), path + "/SHA256SUMS: the file is missing");
  replace(path, first);
  std::string manifest = files::read_whole(path + "/SHA256SUMS");
  fs::remove(path + "/b.bin");
  EXPECT_EQ(refusal(path), path + "/b.bin: the file is missing");
  manifest[20] = '2';
  files::write_atomically(path + "/SHA256SUMS", manifest);
  EXPECT_EQ(refusal(path), path + ": the model is saved in format '2', this program reads format 1");
  files::write_atomically(path + "/SHA256SUMS", "something else");
  EXPECT_EQ(refusal(path), path + "/SHA256SUMS: this is not the manifest of a saved model");
}

TEST(Folder, DamageNamesTheFile) {
  const Scratch scratch;
  const std::string path = scratch.path("model");
  replace(path, first);
  files::write_atomically(path + "/b.bin", std::string(4999, '1'));
  EXPECT_EQ(refusal(path), path + "/b.bin: the file is damaged: its SHA-256 is not the one in SHA256SUMS");
  replace(path, first);
  files::write_atomically(path + "/SHA256SUMS", files::read_whole(path + "/SHA256SUMS") + "\n");
  EXPECT_EQ(refusal(path), path + "/SHA256SUMS: the manifest is damaged");
}

}  // namespace
}  // namespace cvf::model::folder
