#include "train/foresight.hpp"

#include <filesystem>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/memory.hpp"

namespace cvf::train {
namespace {

double disk_available(const std::string& folder) {
  std::error_code failed;
  const auto space = std::filesystem::space(folder, failed);
  return failed ? 1e300 : static_cast<double>(space.available);
}

std::string bytes(double count) {
  return memory::words(count);
}

}  // namespace

void foresee(const Needed& n, const std::string& folder, double available_memory, double available_disk) {
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
