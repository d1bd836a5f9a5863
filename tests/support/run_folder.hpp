// What a run left in its folder.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/files.hpp"

namespace cvf::testing_support {

inline std::string weights(const std::string& folder) {
  return files::read_whole(folder + "/last/weights.safetensors");
}

inline std::vector<double> losses_of(const std::string& folder) {
  std::ifstream in(folder + "/metrics.csv");
  std::string line;
  std::getline(in, line);
  std::vector<double> out;
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    std::string cell;
    for (int i = 0; i < 4; ++i) std::getline(cells, cell, ',');  // step, epoch, seconds, loss
    out.push_back(std::stod(cell));
  }
  return out;
}

inline std::vector<std::string> events_of(const std::string& folder, const std::string& kind) {
  std::ifstream in(folder + "/log.jsonl");
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("{\"event\":\"" + kind + "\"")) out.push_back(line);
  }
  return out;
}

}  // namespace cvf::testing_support
