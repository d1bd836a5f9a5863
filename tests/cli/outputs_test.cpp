// What each command that writes a file may replace: nothing that it reads, nothing of a model, and other
// files only with --overwrite.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/output_file.hpp"
#include "support/has.hpp"
#include "support/program.hpp"
#include "support/train_command.hpp"

namespace cvf::cli {
namespace {

namespace fs = std::filesystem;
using testing_support::has;
using testing_support::Ran;
using testing_support::Scratch;
using Words = std::vector<std::string>;

/// A command that writes NAME + `ending` when `words` are followed by NAME, or by the whole name.
struct Writer {
  std::string name, ending;
  Words words;
  std::string input;  // one of the files that it reads
  bool takes_stem = false;
};

class Outputs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = new Scratch;
    run_file_ = testing_support::run_file(*scratch_, "train.steps = 20");
    train(run());
    ASSERT_TRUE(fs::exists(run() + "/evaluation.json"));
    files::write_atomically(config(), "samples = 2\n");
  }
  static void TearDownTestSuite() {
    delete scratch_;
    scratch_ = nullptr;
  }

  static std::string data() { return scratch_->path("data.h5"); }
  static std::string run() { return scratch_->path("run"); }
  static std::string config() { return scratch_->path("generate.toml"); }
  static void train(const std::string& folder) {
    const Ran ran = cvf(testing_support::command(
        run_file_, folder, {"--set", "evaluation.samples=1", "--set", "validation.steps=10"}));
    ASSERT_EQ(ran.code, 0) << ran.err;
  }
  static Ran cvf(Words words) { return testing_support::run(*scratch_, std::move(words)); }

  static std::vector<Writer> writers() {
    return {{"generate", ".h5", {"data", "generate", "pendulum", "--config", config(), "--out"}, config()},
            {"convert", ".h5", {"data", "convert", data()}, data()},
            {"convert to NPZ", ".npz", {"data", "convert", data()}, data()},
            {"picture", ".png", {"data", "picture", data(), "--out"}, data()},
            {"init", ".toml", {"init", data(), "--out"}, data()},
            {"report", ".html", {"report", run(), "--out"}, run() + "/evaluation.json"},
            {"report and its data file", ".html", {"report", run(), "--out"}, data()},
            {"export", ".onnx", {"export", run()}, run() + "/best/weights.safetensors"},
            {"rollout", ".h5", {"rollout", run(), "--samples", "9", "--out"}, data()},
            {"evaluate",
             ".json",
             {"evaluate", run(), "--samples", "9", "--protocol", "direct", "--out"},
             data(),
             true},
            {"evaluate and its table",
             ".csv",
             {"evaluate", run(), "--samples", "9", "--protocol", "direct", "--out"},
             data(),
             true},
            {"evaluate --keep",
             ".direct.h5",
             {"evaluate", run(), "--samples", "9", "--protocol", "direct", "--keep", "1", "--out"},
             data(),
             true}};
  }

  static Ran write(const Writer& writer, const std::string& stem, bool overwrite) {
    Words words = writer.words;
    words.push_back(writer.takes_stem ? stem : stem + writer.ending);
    if (overwrite) words.emplace_back("--overwrite");
    return cvf(words);
  }

  // The command must end with this code and leave the file behind the path as it is.
  static void refuses(const Writer& writer, const std::string& stem, bool overwrite, int code,
                      const std::string& why) {
    const std::string file = stem + writer.ending, before = files::read_whole(file);
    const Ran ran = write(writer, stem, overwrite);
    EXPECT_EQ(ran.code, code) << writer.name << ": " << ran.err;
    EXPECT_TRUE(has(ran.err, file + ": " + why)) << writer.name << ": " << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << writer.name << ": " << ran.err;
    EXPECT_EQ(files::read_whole(file), before) << writer.name;
  }

  static inline Scratch* scratch_ = nullptr;
  static inline std::string run_file_;
};

TEST_F(Outputs, AnInputIsNeverReplaced) {
  for (const auto& writer : writers()) {
    const Scratch place;
    const std::string before = files::read_whole(writer.input);
    fs::create_hard_link(writer.input, place.path("hard" + writer.ending));
    fs::create_symlink(writer.input, place.path("soft" + writer.ending));
    refuses(writer, place.path("hard"), true, 2, "is a file that this command reads");
    refuses(writer, place.path("./soft"), true, 2, "");  // that of export belongs to a model, too
    EXPECT_TRUE(fs::is_symlink(place.path("soft" + writer.ending))) << writer.name;
    EXPECT_TRUE(files::same_file(place.path("hard" + writer.ending), writer.input)) << writer.name;
    EXPECT_EQ(files::read_whole(writer.input), before) << writer.name;
  }
}

TEST_F(Outputs, AFileOfAModelIsNeverReplaced) {
  train(scratch_->path("other"));
  const std::string kept = scratch_->path("other/best/weights.safetensors");
  for (const auto& writer : writers()) {
    const Scratch place;
    fs::create_symlink(kept, place.path("link" + writer.ending));
    refuses(writer, place.path("link"), true, 2, "belongs to a model, a run or a study");
  }
}

TEST_F(Outputs, AForeignFileIsReplacedOnlyWithTheFlag) {
  for (const auto& writer : writers()) {
    const Scratch place;
    const std::string file = place.path("mine" + writer.ending);
    files::write_atomically(file, std::string_view("mine"));
    refuses(writer, place.path("mine"), false, 4, "exists already; give --overwrite to replace it");
    const Ran ran = write(writer, place.path("mine"), true);
    EXPECT_EQ(ran.code, 0) << writer.name << ": " << ran.err;
    EXPECT_NE(files::read_whole(file), "mine") << writer.name;
  }
}

// By name, in the folders that training, calibration and a study leave: the results that can be made again
// are the exceptions.
TEST_F(Outputs, EveryFileOfARunIsKeptButItsResults) {
  ASSERT_EQ(cvf({"evaluate", run(), "--calibrate", "--solver", "euler"}).code, 0);
  const std::string folder = scratch_->path("study");
  fs::create_directories(folder);
  for (const char* name : {"study.toml", "results.jsonl", "floors.json"})
    files::write_atomically(folder + "/" + name, std::string_view("x"));
  fs::create_directories(folder + "/runs/data/default/cvf");
  fs::copy(run(), folder + "/runs/data/default/cvf/seed-0", fs::copy_options::recursive);
  std::size_t kept = 0, results = 0;
  for (const auto& root : {run(), folder}) {
    for (const auto& file : files::files_below(root)) {
      const bool is_result = fs::path(file).filename().string().starts_with("evaluation.");
      const auto check = [&] { files::check_output({.path = file, .overwrite = true}); };
      if (is_result) {
        EXPECT_NO_THROW(check()) << file;
      } else {
        EXPECT_THROW(check(), UsageError) << file;
      }
      ++(is_result ? results : kept);
    }
  }
  EXPECT_GT(kept, 30U);
  EXPECT_EQ(results, 6U);  // .json, .csv and .time_informed.h5
}

TEST_F(Outputs, AReportReplacesTheOneOfItsFolder) {
  const std::string page = run() + "/report.html";
  files::write_atomically(page, std::string_view("the one before"));
  for (const Words& words : {Words{"report", run()}, Words{"report", run(), "--out", page}}) {
    EXPECT_EQ(cvf(words).code, 0);
    EXPECT_GT(fs::file_size(page), 10'000U);
  }
  fs::remove(page);
  fs::create_symlink(data(), page);
  const std::string before = files::read_whole(data());
  EXPECT_EQ(cvf({"report", run()}).code, 2);
  EXPECT_EQ(files::read_whole(data()), before);
  fs::remove(page);
}

TEST_F(Outputs, FoldersAndDevicesAreNotReplaced) {
  for (const auto& [out, why] :
       {std::pair{scratch_->path("run"), "is a folder"}, {std::string("/dev/null"), "is no regular file"}}) {
    const Ran ran = cvf({"data", "picture", data(), "--out", out, "--overwrite"});
    EXPECT_EQ(ran.code, 4) << ran.err;
    EXPECT_TRUE(has(ran.err, why)) << ran.err;
  }
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Outputs, TrainingAnewDoesNotRemoveWhatItReads) {
  const std::string toml = run() + "/run.toml", before = files::read_whole(toml);
  const Ran ran = cvf({"train", toml, "--out", run(), "--overwrite"});
  EXPECT_EQ(ran.code, 2) << ran.err;
  EXPECT_TRUE(has(ran.err, "run.toml: --overwrite would remove this file")) << ran.err;
  EXPECT_EQ(files::read_whole(toml), before);
}

TEST_F(Outputs, AStudyDoesNotReplaceAnotherStudysFile) {
  const std::string folder = scratch_->path("mine"), file = scratch_->path("s.toml");
  fs::create_directories(folder);
  files::write_atomically(folder + "/study.toml", std::string_view("mine"));
  files::write_atomically(
      file,
      "title = \"t\"\n[data.p]\nconfig = \"" + run_file_ +
          "\"\n[method.sm]\n[evaluation.e]\n[table.t]\nrows = [\"method\"]\nshow = [\"e.rollout_rmse\"]\n");
  const Ran ran = cvf({"study", file, "--out", folder, "--tables-only"});
  EXPECT_EQ(ran.code, 2) << ran.err;
  EXPECT_TRUE(has(ran.err, "study.toml: exists, and no study was run in this folder")) << ran.err;
  EXPECT_EQ(files::read_whole(folder + "/study.toml"), "mine");
}

}  // namespace
}  // namespace cvf::cli
