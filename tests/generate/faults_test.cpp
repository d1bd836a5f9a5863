// What may happen to a file while it is generated: other writers, a full disk, a kill at the worst moment, an
// early stop. Each attempt runs in a process of its own, as users run it.
#include <gtest/gtest.h>
#include <omp.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <functional>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "data/convert.hpp"
#include "data/groups_writer.hpp"
#include "data/source.hpp"
#include "generate/generate.hpp"
#include "support/scratch.hpp"

namespace cvf::generate {
namespace {

using testing_support::Scratch;

Options options_from(const std::string& toml) {
  Options options;
  config::Document::from_text(toml, "test").read([&](config::Section& s) { options.describe(s); });
  return options;
}

constexpr const char* small_wave = "name='wave'\nsamples=6\ngrid='16'\nframes=5\n";

/// A process that does `act` and exits as the program would: with the code of the error, by way of every exit
/// handler.
class Process {
 public:
  explicit Process(const std::function<void()>& act) : child_(fork()) {
    if (child_ != 0) return;
    omp_set_num_threads(1);  // the threads of the process that was forked are not here
    try {
      act();
    } catch (const Error& error) {
      std::exit(static_cast<int>(error.code()));
    }
    std::exit(0);
  }
  int wait() const {
    int status = 0;
    waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t child_;
};

void limit_files(rlim_t bytes, void (*on_signal)(int) = SIG_IGN) {
  std::signal(SIGXFSZ, on_signal);
  const rlimit bounds{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &bounds);
}

class GenerateFaults : public testing::Test {
 protected:
  void SetUp() override { log::set_level(log::Level::quiet); }
  void TearDown() override { interrupt::clear(); }

  void make(const std::string& name, const std::string& toml = small_wave,
            Existing existing = Existing::kept) {
    Options options = options_from(toml);
    generate(options, scratch_.path(name), existing);
  }
  std::string bytes(const std::string& name) const { return files::read_whole(scratch_.path(name)); }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(scratch_.path("")))
      out.push_back(entry.path().filename().string());
    return out;
  }
  Scratch scratch_;
};

TEST_F(GenerateFaults, SeveralProcessesThatMakeOneFileLeaveItWhole) {
  make("alone.h5");
  const std::string alone = bytes("alone.h5");
  for (int round = 0; round < 10; ++round) {
    const bool again = round % 2 == 1;  // over the file of the round before
    std::vector<Process> all;
    for (int i = 0; i < 5; ++i)
      all.emplace_back([&] { make("together.h5", small_wave, again ? Existing::replaced : Existing::kept); });
    for (const auto& process : all) EXPECT_EQ(process.wait(), 0);
    ASSERT_EQ(bytes("together.h5"), alone) << "round " << round;
    ASSERT_EQ(names().size(), 2U);
    if (again) std::filesystem::remove(scratch_.path("together.h5"));
  }
}

TEST_F(GenerateFaults, AFileMadeMeanwhileIsUsedOnlyWhenItIsTheSame) {
  make("a.h5");
  const std::string before = bytes("a.h5");
  EXPECT_NO_THROW(make("a.h5"));
  const auto sentence =
      testing_support::sentence_of([&] { make("a.h5", std::string(small_wave) + "seed=1\n"); });
  EXPECT_NE(sentence.find("a.h5: exists already, and was made with other settings (seed)"), std::string::npos)
      << sentence;
  EXPECT_EQ(bytes("a.h5"), before);
}

TEST_F(GenerateFaults, AFullDiskIsASentenceWhereverItBegins) {
  make("whole.h5");
  const std::string whole = bytes("whole.h5");
  for (std::size_t room = 0; room < whole.size(); room += 1 + whole.size() / 12) {
    const Process process([&] {
      limit_files(room);
      make("a.h5");
    });
    EXPECT_EQ(process.wait(), static_cast<int>(Exit::data)) << "room for " << room << " bytes";
    EXPECT_EQ(names(), std::vector<std::string>{"whole.h5"}) << "room for " << room << " bytes";
  }
  make("a.h5");
  EXPECT_EQ(bytes("a.h5"), whole);
}

TEST_F(GenerateFaults, AFullDiskLeavesNothingOfAConversion) {
  make("whole.h5");
  for (const int gzip : {0, 3}) {
    data::convert(*data::open(scratch_.path("whole.h5")), scratch_.path("a.h5"), {{}, gzip});
    const std::size_t size = bytes("a.h5").size();
    std::filesystem::remove(scratch_.path("a.h5"));
    for (std::size_t room = 0; room < size; room += 1 + size / 12) {
      const Process process([&] {
        limit_files(room);
        data::convert(*data::open(scratch_.path("whole.h5")), scratch_.path("a.h5"), {{}, gzip});
      });
      EXPECT_EQ(process.wait(), static_cast<int>(Exit::data)) << "room for " << room << " bytes";
      EXPECT_EQ(names(), std::vector<std::string>{"whole.h5"});
    }
  }
}

TEST_F(GenerateFaults, AFullDiskLeavesNothingOfAFileThatNobodyWouldGoOnWith) {
  const data::GroupsPlan plan{state_of({"u"}), {{0, 1}}};
  const auto write = [&] {
    data::GroupsWriter writer(scratch_.path("a.h5"), plan, data::Remains::discarded);
    const std::vector<float> state{1};
    for (const std::size_t frame : {0U, 1U}) writer.write_frame(0, frame, state);
    writer.finish_sample(0);
    const std::vector<data::SmallArray> arrays{{0, "steps", "time", std::vector<double>(5000, 1.0)}};
    writer.add(arrays);
    writer.finish();
  };
  for (const rlim_t room : {2000, 8000, 20000, 40000}) {
    const Process process([&] {
      limit_files(room);
      write();
    });
    EXPECT_EQ(process.wait(), static_cast<int>(Exit::data)) << "room for " << room << " bytes";
    EXPECT_TRUE(names().empty()) << "room for " << room << " bytes: " << names().front();
  }
  write();
  EXPECT_EQ(data::open(scratch_.path("a.h5"))->description().samples, 1U);
}

TEST_F(GenerateFaults, AJournalThatOutlivedItsFileSaysNothingAboutTheNextOne) {
  make("whole.h5");
  interrupt::request();
  EXPECT_THROW(make("a.h5"), Interrupted);
  interrupt::clear();
  // Killed between the rename of a finished file and the end of its journal, which names all samples:
  data::SampleJournal journal(scratch_.path("a.h5.journal"));
  auto content = journal.read().value();
  for (std::size_t sample = 0; sample < 6; ++sample) content.records.push_back({sample, 0});
  journal.start(content);
  std::filesystem::rename(scratch_.path("a.h5.part"), scratch_.path("a.h5"));
  // Made anew, and killed while the new file is laid out:
  const Process killed([&] {
    limit_files(3000, SIG_DFL);
    make("a.h5", small_wave, Existing::replaced);
  });
  EXPECT_EQ(killed.wait(), -SIGXFSZ);
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("a.h5.journal")));
  make("a.h5", small_wave, Existing::replaced);
  EXPECT_EQ(bytes("a.h5"), bytes("whole.h5"));
}

TEST_F(GenerateFaults, AStopIsHeardWhileALargeFileIsLaidOut) {
  interrupt::request();
  EXPECT_THROW(make("a.h5", "name='pendulum'\nsamples=500\nframes=50\n"), Interrupted);
  EXPECT_TRUE(names().empty());
  EXPECT_THROW(make("a.h5", "name='pendulum'\nsamples=100000\nframes=2\n"), Interrupted);
  EXPECT_TRUE(names().empty());
}

}  // namespace
}  // namespace cvf::generate
