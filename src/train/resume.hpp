// Whether a command goes on with a run, whether the ranks mean the same one, and what the run's files say
// about the programs behind it.
#pragma once

#include <string>

#include "train/checkpoint.hpp"
#include "train/distributed/process_group.hpp"
#include "train/run_data.hpp"

namespace cvf::train {

/// Throws a ConfigError that names the first setting that differs from those of the checkpoint. Settings that
/// change no number (how often to log or save, memory) may differ, and so may the length of the run.
void check_same_run(const Checkpoint& checkpoint, const std::string& run_toml);

/// The same for the ranks of a group: a ConfigError on every one that names the first setting in which one of
/// them differs from rank 0. The paths of the data and what each machine gives to the loader may differ.
void check_same_settings(ProcessGroup& group, const std::string& run_toml);

/// The data as they are, whatever the file is called.
void check_same_data(ProcessGroup& group, const RunData& run_data);

/// Ranks on machines that do not share the run's folder would go on from different places.
void check_same_start(ProcessGroup& group, const std::optional<Checkpoint>& checkpoint);

/// cvf, compiler, LibTorch and threads, a line each.
std::string versions();

}  // namespace cvf::train
