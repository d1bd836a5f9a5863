// `cvf bench field`: how fast the velocity field is, and how close to what the machine can do.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace cvf::bench {

struct FieldSettings {
  std::vector<int> threads{1, 2};
  std::set<std::string> only;  // configurations by name; empty = all
  int repeats = 9;
  bool json = false;
  bool cpu_time = false;  // CPU seconds over threads instead of the wall clock: for a shared machine
  bool fused_only = false;
  bool parts = false;   // where the time goes, too
  bool growth = false;  // time against tokens and width instead of the configurations
  std::string python;   // an interpreter with torch to compare A with, instead
};

void run_field(const FieldSettings& settings);

}  // namespace cvf::bench
