#include <algorithm>
#include <filesystem>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/machine.hpp"
#include "core/text.hpp"
#include "train/checkpoint.hpp"
#include "train/learner.hpp"

namespace cvf::train {
namespace {

// Of the folder, or of the nearest one above it that is there already.
double disk_available(const std::string& folder) {
  std::error_code failed;
  auto there = std::filesystem::absolute(folder, failed);
  while (!std::filesystem::exists(there, failed) && there.has_relative_path()) there = there.parent_path();
  const auto space = std::filesystem::space(there, failed);
  return failed ? 1e300 : static_cast<double>(space.available);
}

std::string bytes(double count) {
  return memory::words(count);
}

}  // namespace

Needed needed_for(const RunOptions& options, const RunData& run_data, const Learner& learner, int ranks) {
  const auto& description = run_data.source->description();
  const auto first = learner.micro_batches(std::max<std::int64_t>(1, options.loader.batch / ranks)).front();
  const auto rows = static_cast<double>(first.second - first.first);
  double data = 0;
  for (const auto sample : run_data.splits.train) {
    data += static_cast<double>(description.frames[sample] /
                                static_cast<std::size_t>(options.downsampling.factor)) *
            static_cast<double>(description.frame_size()) * sizeof(float);
  }
  const auto& field = *learner.model.field;
  return {.parameters = static_cast<double>(field.parameter_count()) * 4,
          .copies = options.length.ema_decay > 0 ? 6.0 : 5.0,
          .activations = field.training_bytes(rows * learner.objective->needs().evaluations),
          .loader = std::min(data, static_cast<double>(options.loader.memory_mb) * 1e6),
          .checkpoint = checkpoint_bytes(learner.model, learner.optimizer),
          .checkpoints = options.checkpoint.keep + 2};
}

void check_resources(const Needed& n, const std::string& folder, double available_memory,
                     double available_disk) {
  const double memory = n.parameters * n.copies + n.activations + n.loader;
  const double memory_here = available_memory < 0 ? memory::available() : available_memory;
  log::detail("about {} of memory: {} for weights and optimizer, {} for a step, {} for the data",
              bytes(memory), bytes(n.parameters * n.copies), bytes(n.activations), bytes(n.loader));
  if (memory > memory_here) {
    throw ConfigError(
        "this run needs about {} of memory ({} for a step, {} for the data), and {} are available: a smaller "
        "loader.batch (with train.accumulate), loader.memory_mb or field would fit",
        bytes(memory), bytes(n.activations), bytes(n.loader), bytes(memory_here));
  }
  const double disk = n.checkpoint * n.checkpoints;
  const double disk_here = available_disk < 0 ? disk_available(folder) : available_disk;
  if (disk > disk_here) {
    throw DataError(
        "{}: {} checkpoints need {}, and {} are free there; a smaller checkpoint.keep would need less",
        folder, n.checkpoints, bytes(disk), bytes(disk_here));
  }
}

}  // namespace cvf::train
