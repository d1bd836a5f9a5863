#include "data/groups_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "core/machine.hpp"
#include "core/text.hpp"
#include "data/hdf5.hpp"

namespace cvf::data {

std::string GroupsPlan::key(std::size_t sample) const {
  return fmt::format("{:04}", sample);
}

std::vector<std::size_t> GroupsPlan::static_extents() const {
  std::vector<std::size_t> out;
  for (const auto& axis : state.axes) out.push_back(axis.size);
  return out;
}

std::vector<std::size_t> GroupsPlan::control_field_extents(std::size_t sample) const {
  auto out = static_extents();
  out.insert(out.begin(), times[sample].size());
  return out;
}

std::vector<std::size_t> GroupsPlan::extents(std::size_t sample) const {
  auto out = control_field_extents(sample);
  out.push_back(state.count(Role::state));
  return out;
}

std::string GroupsPlan::axes() const {
  std::string out = "t,";
  for (const auto& axis : state.axes) out += axis.name + ",";
  return out + "c";
}

std::string GroupsPlan::digest() const {
  std::string all = fmt::format("{}|{}|{}\n", version, state.boundary(), text::join(scalar_names));
  const auto add = [&all](const std::vector<double>& values) {
    all += fmt::format("{}\n", fmt::join(values, " "));
  };
  for (const auto& channel : state.channels)
    all += fmt::format("{} {} {}\n", static_cast<int>(channel.role), channel.name, channel.unit);
  for (const auto& axis : state.axes) {
    all += fmt::format("{} {}\n", axis.name, axis.size);
    add(axis.coordinates);
  }
  for (const auto& sample_times : times) add(sample_times);
  for (const auto& [name, value] : attributes) all += fmt::format("{}={}\n", name, value);
  for (const auto& name : beside) all += fmt::format("beside {}\n", name);
  return hex(sha256(all));
}

void write_root(hdf5::Group& root, const GroupsPlan& plan) {
  constexpr std::array<std::pair<const char*, Role>, 4> beside{{{"parameters", Role::parameter},
                                                                {"static", Role::static_field},
                                                                {"controls", Role::control},
                                                                {"control_fields", Role::control_field}}};
  for (const auto& [name, value] : plan.attributes) {
    const bool ours = std::ranges::any_of(beside, [&](const auto& kind) { return name == kind.first; });
    if (!ours) root.set(name, value);
  }
  root.set("generator", "cvf");  // what follows describes this very file, whatever a converted one said
  root.set("version", version);
  root.set("channels", text::join(plan.state.names(), ","));
  root.set("boundary", plan.state.boundary());
  root.set("axes", plan.axes());
  for (const auto& [attribute, role] : beside) {
    const auto names = plan.state.names(role);
    if (!names.empty()) root.set(attribute, text::join(names, ","));
  }
}

void write_grid(hdf5::Group& group, const GroupsPlan& plan, std::size_t sample) {
  hdf5::Group grid = group.create_group("grid");
  const hdf5::Storage single{hdf5::Element::float32}, exact{hdf5::Element::float64};
  for (auto axis = plan.state.axes.rbegin(); axis != plan.state.axes.rend(); ++axis) {
    if (!axis->coordinates.empty()) grid.write_array(axis->name, axis->coordinates, single);
  }
  grid.write_array("t", plan.times[sample],
                   exact);  // float32 stamps would make the spacing uneven in the 7th digit
}

std::string static_path(const std::string& name) {
  return "static/" + name;
}

std::string control_path(const std::string& name) {
  return "controls/" + name;
}

std::string control_field_path(const std::string& name) {
  return "control_fields/" + name;
}

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

std::vector<double> read_small_array(const std::string& file, std::size_t sample, const std::string& group,
                                     const std::string& name) {
  const hdf5::Group root = hdf5::File::open(file).root();
  const std::string place = GroupsPlan{}.key(sample) + "/" + group;
  if (!root.has_group(place)) return {};
  const hdf5::Group arrays = root.group(place);
  return arrays.has_dataset(name) ? arrays.dataset(name).read_all() : std::vector<double>{};
}

}  // namespace cvf::data
