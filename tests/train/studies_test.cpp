// Every run that a study of the repository asks for has settings that training takes: a study that begins may
// run for hours before it comes to the cell that does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "cli/demo_files.hpp"
#include "core/files.hpp"
#include "study/grid.hpp"
#include "support/scratch.hpp"
#include "train/options.hpp"

namespace cvf::train {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> presets_of(const std::string& file) {
  study::Study study;
  config::Document::from_file(file).read([&](config::Section& s) { study.describe(s); });
  auto names = study::names_of(study.presets);
  if (names.empty()) names.emplace_back();
  return names;
}

// Evaluations that name no solver would change with the default. The paper's solver steps the rollouts while
// its method trains, too.
void check_solver(const study::Study& study, const study::Cell& cell, const config::Document& run_file) {
  for (const auto& command : study::commands_of(study, cell, ".")) {
    if (command.front() != "evaluate") continue;
    EXPECT_NE(std::find(command.begin(), command.end(), "--solver"), command.end())
        << cell.name() << ": names no solver";
  }
  if (study::find(study.methods, cell.method)->solver == "gcs") {
    EXPECT_EQ(run_file.look_up("solver.name"), "gcs") << cell.name();
  }
}

// Settings of each cell of one preset, laid over its config; seeds change nothing.
void check(const study::Study& study) {
  for (const auto& cell : study::cells_of(study)) {
    if (cell.seed != study.seeds.front()) continue;
    auto document = config::Document::from_file(study::find(study.data, cell.data)->config);
    for (const auto& setting : study::settings_of(study, cell)) document.set(setting);
    check_solver(study, cell, document);
    try {
      RunOptions::read(std::move(document));
    } catch (const std::exception& e) {
      ADD_FAILURE() << cell.name() << ": " << e.what();
    }
  }
}

TEST(Studies, AskForRunsThatTrainingTakes) {
  int seen = 0;
  for (const auto& item : fs::directory_iterator(fs::path(CVF_SOURCE_DIR) / "studies")) {
    const std::string file = item.path().string();
    for (const auto& preset : presets_of(file)) {
      SCOPED_TRACE(file + ", preset " + preset);
      check(study::Study::read(file, preset, {}));
    }
    ++seen;
  }
  EXPECT_GE(seen, 20);
}

TEST(Studies, NameTheSolverOfEveryMethodOfTheDemo) {
  const testing_support::Scratch scratch;
  files::write_atomically(scratch.path("pendulum.toml"), cli::demo_pendulum);
  files::write_atomically(scratch.path("diffusion-reaction.toml"), cli::demo_reaction);
  files::write_atomically(scratch.path("demo.toml"), cli::demo_study);
  for (const auto& preset : presets_of(scratch.path("demo.toml")))
    check(study::Study::read(scratch.path("demo.toml"), preset, {}));
}

TEST(Configs, ResolveToANamedSolver) {
  int seen = 0;
  for (const auto& item : fs::directory_iterator(fs::path(CVF_SOURCE_DIR) / "configs")) {
    const std::string file = item.path().string(), text = files::read_whole(file);
    auto run = RunOptions::read(config::Document::from_file(file));
    EXPECT_NE(run.solver.name, "auto") << file;
    EXPECT_EQ(config::Document::from_text(run.to_toml(), file).look_up("solver.name"), run.solver.name)
        << file;
    if (text.find("recipe = \"paper\"") != std::string::npos) {
      EXPECT_NE(text.find("solver.name=gcs"), std::string::npos)
          << file << ": the paper's recipe goes with its solver";
    }
    ++seen;
  }
  EXPECT_GE(seen, 20);
}

}  // namespace
}  // namespace cvf::train
