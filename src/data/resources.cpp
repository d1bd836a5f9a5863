#include "data/resources.hpp"

#include <filesystem>

#include "core/errors.hpp"
#include "core/machine.hpp"

namespace cvf::data {
namespace {

constexpr double sample_memory = 1000;  // names, places of its scalars
constexpr double sample_disk = 4000;    // groups, attributes, scalars: what HDF5 takes for a sample, at least
constexpr double frame_memory = 16;     // its time, its place in the file

}  // namespace

void check_resources(const std::string& path, const FileSize& file) {
  const std::string what =
      fmt::format("{}: {:.6g} samples with {:.6g} frames in all", path, file.samples, file.frames);
  const double memory = file.samples * sample_memory + file.frames * (frame_memory + file.frame_notes);
  if (memory::exceeds(memory)) {
    throw DataError("{} {}; fewer samples or frames would fit", what, memory::shortage(memory));
  }
  std::error_code unknown;
  const auto space = std::filesystem::space(std::filesystem::absolute(path).parent_path(), unknown);
  const double disk = file.samples * (sample_disk + file.sample_values * sizeof(float)) +
                      file.frames * file.frame_values * sizeof(float);
  if (!unknown && disk > static_cast<double>(space.available)) {
    throw DataError("{} need {} on the disk, and {} are free; fewer samples or frames would fit", what,
                    memory::words(disk), memory::words(static_cast<double>(space.available)));
  }
}

}  // namespace cvf::data
