#include "data/groups_format.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/hash.hpp"
#include "core/machine.hpp"
#include "core/text.hpp"
#include "data/hdf5.hpp"

namespace cvf::data {

std::string GroupsPlan::key(std::size_t sample) const {
  return fmt::format("{:04}", sample);
}

std::vector<std::size_t> GroupsPlan::extents(std::size_t sample) const {
  const std::size_t frames = times[sample].size();
  if (nx * ny == 1) return {frames, channels.size()};
  if (ny == 1) return {frames, nx, channels.size()};
  return {frames, ny, nx, channels.size()};
}

std::string GroupsPlan::axes() const {
  if (nx * ny == 1) return "t,c";
  return ny == 1 ? "t,x,c" : "t,y,x,c";
}

std::vector<std::size_t> GroupsPlan::static_extents() const {
  if (cells() == 1) return {};
  if (ny == 1) return {nx};
  return {ny, nx};
}

std::string GroupsPlan::digest() const {
  std::string all = fmt::format("{}|{}|{}x{}|{}|{}\n", version, text::join(channels), ny, nx, boundary,
                                text::join(scalar_names));
  const auto add = [&all](const std::vector<double>& values) {
    all += fmt::format("{}\n", fmt::join(values, " "));
  };
  add(x);
  add(y);
  for (const auto& sample_times : times) add(sample_times);
  for (const auto* names : {&parameters, &statics, &controls}) all += text::join(*names) + "\n";
  for (const auto& [name, value] : attributes) all += fmt::format("{}={}\n", name, value);
  return hex(sha256(all));
}

void write_root(hdf5::Group& root, const GroupsPlan& plan) {
  const std::pair<const char*, const std::vector<std::string>*> beside[] = {
      {"parameters", &plan.parameters}, {"static", &plan.statics}, {"controls", &plan.controls}};
  for (const auto& [name, value] : plan.attributes) {
    const bool ours = std::ranges::any_of(beside, [&](const auto& kind) { return name == kind.first; });
    if (!ours) root.set(name, value);
  }
  root.set("generator", "cvf");  // what follows describes this very file, whatever a converted one said
  root.set("version", version);
  root.set("channels", text::join(plan.channels, ","));
  root.set("boundary", plan.boundary);
  root.set("axes", plan.axes());
  for (const auto& [attribute, names] : beside) {
    if (!names->empty()) root.set(attribute, text::join(*names, ","));
  }
}

void write_grid(hdf5::Group& group, const GroupsPlan& plan, std::size_t sample) {
  hdf5::Group grid = group.create_group("grid");
  const hdf5::Storage single{hdf5::Element::float32}, exact{hdf5::Element::float64};
  if (!plan.x.empty()) grid.write_array("x", plan.x, single);
  if (!plan.y.empty()) grid.write_array("y", plan.y, single);
  grid.write_array("t", plan.times[sample],
                   exact);  // float32 stamps would make the spacing uneven in the 7th digit
}

std::string static_path(const std::string& name) {
  return "static/" + name;
}

std::string control_path(const std::string& name) {
  return "controls/" + name;
}

}  // namespace cvf::data
