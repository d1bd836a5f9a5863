// Output that is lost is a failure: a full disk, a closed stdout; a reader that has gone is none.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "support/has.hpp"
#include "support/program.hpp"

namespace cvf::cli {
namespace {

using testing_support::has;
using testing_support::run;
using testing_support::Scratch;
using Words = std::vector<std::string>;

constexpr int data_error = 4;

/// How the program finds its standard streams.
enum class Streams { full, closed, all_closed, reader_gone, reader_gone_and_ignored };

class LostOutput : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(
        run(scratch_, {"data", "generate", "pendulum", "--out", data_, "--samples", "12", "--frames", "5"})
            .code,
        0);
  }

  // One command of each kind of output: by fmt, by CLI11, of the small program and of cvf-models.
  std::vector<Words> printers() const {
    return {{"data", "inspect", data_, "--json"},
            {"data", "audit", data_, "--quiet"},
            {"data", "generate", "pendulum", "--print-config"},
            {"explain"},
            {"explain", "run"},
            {"completion", "bash"},
            {"evaluate", "--definitions"},
            {"init", data_, "--out", scratch_.path("mine.toml"), "--overwrite"},
            {"--help"},
            {"train", "--help"},
            {"--version"}};
  }

  // Exit code, or minus the signal; what it says goes to `errors_`.
  int ends(Words words, Streams streams) {
    words.insert(words.begin(), CVF_PROGRAM);
    std::vector<char*> raw;
    for (auto& word : words) raw.push_back(word.data());
    raw.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      dup2(open(errors_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
      std::signal(SIGPIPE, streams == Streams::reader_gone_and_ignored ? SIG_IGN : SIG_DFL);
      int ends_of_pipe[2] = {-1, -1};
      if (streams == Streams::full) dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
      if (streams == Streams::closed || streams == Streams::all_closed) close(STDOUT_FILENO);
      if (streams == Streams::all_closed) close(STDIN_FILENO), close(STDERR_FILENO);
      if (streams >= Streams::reader_gone && pipe(ends_of_pipe) == 0) {
        dup2(ends_of_pipe[1], STDOUT_FILENO);
        close(ends_of_pipe[0]), close(ends_of_pipe[1]);
      }
      for (int handle = 3; handle < 64; ++handle) close(handle);
      execv(CVF_PROGRAM, raw.data());
      _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  std::string said() const { return files::read_whole(errors_); }

  Scratch scratch_;
  std::string data_ = scratch_.path("data.h5"), errors_ = scratch_.path("errors");
};

TEST_F(LostOutput, IsAnErrorWithOneMessage) {
  for (const auto& words : printers()) {
    for (const auto& [streams, why] :
         {std::pair{Streams::full, "No space left on device"}, {Streams::closed, "Bad file descriptor"}}) {
      EXPECT_EQ(ends(words, streams), data_error) << words.front() << " " << words.back();
      const std::string text = said();
      EXPECT_TRUE(has(text, "cvf: standard output: writing failed")) << words.front() << ": " << text;
      EXPECT_TRUE(has(text, why)) << words.front() << ": " << text;
      EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << words.front() << ": " << text;
    }
    EXPECT_EQ(ends(words, Streams::all_closed), data_error) << words.front();
  }
}

TEST_F(LostOutput, OfAReaderThatHasGoneIsQuiet) {
  for (const auto& words : {Words{"explain", "run"}, Words{"data", "inspect", data_}, Words{"--help"}}) {
    EXPECT_EQ(ends(words, Streams::reader_gone), -SIGPIPE) << words.front();
    EXPECT_EQ(said(), "");
    EXPECT_EQ(ends(words, Streams::reader_gone_and_ignored), data_error) << words.front();
    EXPECT_EQ(said(), "");
  }
}

// Nothing is printed, so nothing is lost; and the file gets none of the messages for the missing streams.
TEST_F(LostOutput, NeedsSomethingThatWasPrinted) {
  const std::string usual = scratch_.path("usual.h5"), out = scratch_.path("out.h5");
  ASSERT_EQ(run(scratch_, {"data", "convert", data_, usual}).code, 0);
  EXPECT_EQ(ends({"data", "convert", data_, out}, Streams::all_closed), 0);
  EXPECT_EQ(files::read_whole(out), files::read_whole(usual));
}

TEST_F(LostOutput, DoesNotHideAnotherError) {
  EXPECT_EQ(ends({"data", "inspect", scratch_.path("none.h5")}, Streams::full), data_error);
  EXPECT_TRUE(has(said(), "none.h5")) << said();
  EXPECT_EQ(ends({"data", "inspect", data_, "--colour"}, Streams::all_closed), 2);
}

}  // namespace
}  // namespace cvf::cli
