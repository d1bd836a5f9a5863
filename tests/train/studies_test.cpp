// Every run that a study of the repository asks for has settings that training takes: a study that begins may
// run for hours before it comes to the cell that does not.
#include <gtest/gtest.h>

#include <filesystem>

#include "study/grid.hpp"
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

// Settings of each cell of one preset, laid over its config; seeds change nothing.
void check(const study::Study& study) {
  for (const auto& cell : study::cells_of(study)) {
    if (cell.seed != study.seeds.front()) continue;
    auto document = config::Document::from_file(study::find(study.data, cell.data)->config);
    for (const auto& setting : study::settings_of(study, cell)) document.set(setting);
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

}  // namespace
}  // namespace cvf::train
