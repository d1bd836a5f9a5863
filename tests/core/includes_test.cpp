// The house rules of ARCHITECTURE.md, checked on the source itself: who may include whom, and where heavy
// headers live.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace cvf {
namespace {

namespace fs = std::filesystem;
using Rooms = std::set<std::string>;

// Each room may include itself and these.
const std::map<std::string, Rooms> may_include{
    {"core", {}},
    {"systems", {"core"}},
    {"data", {"core"}},
    {"kernels", {"core"}},
    {"fields", {"core", "kernels"}},
    {"normalizers", {"core"}},
    {"objectives", {"core", "fields", "normalizers", "solvers"}},
    {"model", {"core", "fields", "normalizers"}},
    {"generate", {"core", "systems", "data"}},
    {"report", {"core", "data"}},
    {"solvers", {"core"}},
    {"metrics", {"core"}},
    {"rollout", {"core", "data", "normalizers", "fields", "model", "solvers"}},
    {"run", {"core", "model", "objectives", "solvers"}},
    {"embed", {"core", "model", "solvers", "rollout", "run"}},
    {"evaluate", {"core", "data", "model", "solvers", "rollout", "metrics"}},
    {"study", {"core", "systems", "data", "generate"}},
    {"train",
     {"core", "systems", "data", "kernels", "fields", "normalizers", "objectives", "model", "generate",
      "solvers", "rollout", "metrics"}},
    {"cli",
     {"core", "systems", "data", "kernels", "fields", "normalizers", "objectives", "model", "generate",
      "solvers", "rollout", "run", "metrics", "evaluate", "report", "train", "study"}},
};

// A heavy or special header and the only places that may name it.
const std::map<std::string, std::string> homes{{"<hdf5.h>", "data/"},
                                               {"<toml\\+\\+", "core/config"},
                                               {"<immintrin.h>", "kernels/cpu/"},
                                               {"<CLI/", "cli/"},
                                               {"<torch/csrc/distributed/", "train/distributed/"},
                                               {"<gloo/", "train/distributed/"},
                                               {"<png.h>", "report/"}};

template <class Visit>
void for_each_include(Visit&& visit) {
  const fs::path root = fs::path(CVF_SOURCE_DIR) / "src";
  const std::regex include("^\\s*#\\s*include\\s+([\"<][^\">]+[\">]).*");
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
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

TEST(House, RoomsIncludeOnlyTheRoomsBelowThem) {
  int seen = 0;
  for_each_include([&](const std::string& file, const std::string& header) {
    if (header.front() != '"' || header.find('/') == std::string::npos) return;
    const std::string room = file.substr(0, file.find('/'));
    const std::string other = header.substr(1, header.find('/') - 1);
    if (!may_include.contains(other) || room == other) return;
    ++seen;
    ASSERT_TRUE(may_include.contains(room)) << "the room " << room << " has no row in this test's table";
    EXPECT_TRUE(may_include.at(room).contains(other)) << file << " includes " << header;
  });
  EXPECT_GT(seen, 50) << "the scan found too little to mean anything";
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

}  // namespace
}  // namespace cvf
