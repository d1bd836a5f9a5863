// `cvf train` on something small, as a command line.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "core/files.hpp"
#include "support/program.hpp"
#include "support/run_folder.hpp"

namespace cvf::testing_support {

// A pendulum, a small network, and a checkpoint every few steps so that many kills hit a save.
inline std::string run_file(const Scratch& scratch, const std::string& more) {
  const std::string path = scratch.path("run.toml");
  files::write_atomically(path, fmt::format(R"(
data.file = "{}"
generate = {{name = "pendulum", samples = 10, frames = 33}}
split = {{train = "0:8", validation = "8:9", test = "9:10"}}
downsampling.factor = 2
loader.batch = 32
field = {{name = "mlp", width = 32, depth = 1}}
optimizer.learning_rate = 0.01
checkpoint = {{steps = 7, minutes = 0.0}}
log = {{steps = 1, diagnostics = 50}}
validation.steps = 60
evaluation.samples = 0
{}
)",
                                            scratch.path("data.h5"), more));
  return path;
}

inline std::vector<std::string> command(const std::string& file, const std::string& out,
                                        const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"train", file, "--out", out, "--threads", "1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

inline void wait_for(const std::string& path) {
  while (!std::filesystem::exists(path)) std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

inline std::vector<pid_t> children_of(pid_t parent) {
  std::ifstream in(fmt::format("/proc/{0}/task/{0}/children", parent));
  std::vector<pid_t> out;
  for (pid_t child = 0; in >> child;) out.push_back(child);
  return out;
}

}  // namespace cvf::testing_support
