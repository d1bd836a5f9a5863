// The house rules of ARCHITECTURE.md, checked on the source itself: who may include whom, and where heavy
// headers live.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace cvf {
namespace {

namespace fs = std::filesystem;
using Rooms = std::set<std::string>;

// The table of ARCHITECTURE.md: each room may include itself and the rooms of its last column.
std::map<std::string, Rooms> rooms_of_the_house() {
  std::ifstream in(fs::path(CVF_SOURCE_DIR) / "ARCHITECTURE.md");
  const std::regex row("^\\| `(\\w+)` \\|.*\\| ([a-z -]+) \\|$");
  std::map<std::string, Rooms> out;
  std::smatch match;
  for (std::string line; std::getline(in, line);) {
    if (!std::regex_match(line, match, row)) continue;
    std::istringstream words(match[2].str());
    Rooms& others = out[match[1].str()];
    for (std::string word; words >> word;) {
      if (word != "-") others.insert(word);
    }
  }
  return out;
}

// A heavy or special header and the only places that may name it.
const std::map<std::string, std::string> homes{{"<hdf5.h>", "data/"},
                                               {"<toml\\+\\+", "core/config"},
                                               {"<immintrin.h>", "kernels/cpu/"},
                                               {"<CLI/", "cli/"},
                                               {"<torch/csrc/distributed/", "train/distributed/"},
                                               {"<gloo/", "train/distributed/"},
                                               {"<png.h>", "report/"}};

template <class Visit>
void for_each_include_of(const std::string& folder, const fs::path& root, Visit&& visit) {
  const std::regex include("^\\s*#\\s*include\\s+([\"<][^\">]+[\">]).*");
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(CVF_SOURCE_DIR) / folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".hpp" && extension != ".cpp") continue;
    const std::string name = fs::relative(entry.path(), root).generic_string();
    std::ifstream in(entry.path());
    std::smatch match;
    for (std::string line; std::getline(in, line);) {
      if (std::regex_match(line, match, include)) visit(name, match[1].str());
    }
  }
}

// Files of src by their place in it, those of bench as "bench/...".
template <class Visit>
void for_each_include(Visit&& visit) {
  for_each_include_of("src", fs::path(CVF_SOURCE_DIR) / "src", visit);
  for_each_include_of("bench", CVF_SOURCE_DIR, visit);
}

TEST(House, EveryRoomHasARowInTheTableAndNamesOnlyRooms) {
  const auto rooms = rooms_of_the_house();
  for (const auto& entry : fs::directory_iterator(fs::path(CVF_SOURCE_DIR) / "src")) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(rooms.contains(entry.path().filename().string())) << entry.path();
  }
  for (const auto& [room, others] : rooms) {
    for (const auto& other : others) EXPECT_TRUE(rooms.contains(other)) << room << " may include " << other;
  }
}

TEST(House, RoomsIncludeOnlyTheRoomsOfTheirRow) {
  const auto rooms = rooms_of_the_house();
  int seen = 0;
  for_each_include([&](const std::string& file, const std::string& header) {
    if (header.front() != '"' || header.find('/') == std::string::npos) return;
    const std::string room = file.substr(0, file.find('/'));
    const std::string other = header.substr(1, header.find('/') - 1);
    if (room == other || !rooms.contains(other) || !rooms.contains(room)) return;
    ++seen;
    EXPECT_TRUE(rooms.at(room).contains(other)) << file << " includes " << header;
  });
  EXPECT_GT(seen, 50) << "the scan found too little to mean anything";
}

// The row of bench says what it measures: nothing is missing and nothing is there for no reason.
TEST(House, BenchIncludesExactlyTheRoomsOfItsRow) {
  const auto rooms = rooms_of_the_house();
  Rooms included;
  for_each_include([&](const std::string& file, const std::string& header) {
    const std::string other = header.substr(1, header.find('/') - 1);
    if (file.starts_with("bench/") && header.front() == '"' && other != "bench" && rooms.contains(other))
      included.insert(other);
  });
  EXPECT_EQ(included, rooms.at("bench"));
}

TEST(House, HeavyHeadersStayInTheirRooms) {
  for_each_include([](const std::string& file, const std::string& header) {
    for (const auto& [pattern, home] : homes) {
      if (std::regex_search(header, std::regex(pattern))) {
        EXPECT_TRUE(file.starts_with(home)) << file << " includes " << header;
      }
    }
  });
}

// Of the library, and of the program that starts in milliseconds.
TEST(House, NothingThatTheRuntimeAndTheLightProgramIncludeIncludesLibTorch) {
  std::map<std::string, std::set<std::string>> included;  // by file
  for_each_include([&](const std::string& file, const std::string& header) {
    if (header.front() == '"') included[file].insert(header.substr(1, header.size() - 2));
  });
  std::vector<std::string> ahead;
  for (const auto& [file, headers] : included) {
    const bool light = file.starts_with("cli/") && !file.starts_with("cli/models/");
    if (light || file.starts_with("runtime/") || file.starts_with("onnx/")) ahead.push_back(file);
  }
  std::set<std::string> seen(ahead.begin(), ahead.end());
  while (!ahead.empty()) {
    const std::string file = ahead.back();
    ahead.pop_back();
    for (const auto& header : included[file]) {
      EXPECT_NE(header, "core/torch.hpp") << "by " << file;
      if (seen.insert(header).second) ahead.push_back(header);
    }
  }
  EXPECT_GT(seen.size(), 40U) << "the search found too little to mean anything";
}

}  // namespace
}  // namespace cvf
