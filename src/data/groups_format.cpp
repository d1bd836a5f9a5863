#include "data/groups_format.hpp"

#include <fmt/format.h>

#include "core/hash.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
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

std::string GroupsPlan::digest() const {
  std::string all = fmt::format("{}|{}|{}x{}|{}|{}\n", version, text::join(channels), ny, nx, boundary,
                                text::join(scalar_names));
  const auto add = [&all](const std::vector<double>& values) {
    all += fmt::format("{}\n", fmt::join(values, " "));
  };
  add(x);
  add(y);
  for (const auto& sample_times : times) add(sample_times);
  for (const auto& [name, value] : attributes) all += fmt::format("{}={}\n", name, value);
  return hex(sha256(all));
}

void write_root(hdf5::Group& root, const GroupsPlan& plan) {
  for (const auto& [name, value] : plan.attributes) root.set(name, value);
  root.set("generator", "cvf");  // what follows describes this very file, whatever a converted one said
  root.set("version", version);
  root.set("channels", text::join(plan.channels, ","));
  root.set("boundary", plan.boundary);
  root.set("axes", plan.axes());
}

void write_grid(hdf5::Group& group, const GroupsPlan& plan, std::size_t sample) {
  hdf5::Group grid = group.create_group("grid");
  const hdf5::Storage single{hdf5::Element::float32}, exact{hdf5::Element::float64};
  if (!plan.x.empty()) grid.write_array("x", plan.x, single);
  if (!plan.y.empty()) grid.write_array("y", plan.y, single);
  grid.write_array("t", plan.times[sample],
                   exact);  // float32 stamps would make the spacing uneven in the 7th digit
}

}  // namespace cvf::data
