// Whether a command goes on with a run, and what the run's files say about the programs behind it.
#pragma once

#include <string>

#include "train/checkpoint.hpp"

namespace cvf::train {

/// Throws a ConfigError that names the first setting that differs from those of the checkpoint. Settings that
/// change no number (how often to log or save, memory) may differ, and so may the length of the run.
void check_same_run(const Checkpoint& checkpoint, const std::string& run_toml);

/// cvf, compiler, LibTorch and threads, a line each.
std::string versions();

}  // namespace cvf::train
