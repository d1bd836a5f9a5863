#include "memory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include "problem.hpp"

namespace cvf::bench {
namespace {

double status_bytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return 1024 * std::stod(line.substr(key.size() + 1));
  }
  return 0;
}

}  // namespace

double extra_memory(const std::string& configuration, bool fused) {
  const std::string command = fmt::format("/proc/{}/exe bench field --only {} --memory-of {}", getpid(),
                                          configuration, fused ? "fused" : "composed");
  FILE* pipe = popen(command.c_str(), "r");
  double bytes = 0;
  if (pipe == nullptr || std::fscanf(pipe, "%lf", &bytes) != 1) bytes = -1;
  if (pipe != nullptr) pclose(pipe);
  return bytes;
}

void print_extra_memory(const std::string& configuration, bool fused) {
  const auto all = configurations();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& c) { return c.name == configuration; });
  Problem problem(found == all.end() ? all[1] : *found, fused);
  problem.infer();
  const double before = status_bytes("VmRSS");
  std::ofstream("/proc/self/clear_refs") << "5";  // forgets the peak so far
  problem.triangle();
  fmt::print("{}\n", status_bytes("VmHWM") - before);
}

}  // namespace cvf::bench
