#include "data/convert.hpp"

#include <algorithm>
#include <numeric>

#include "core/files.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "data/groups_format.hpp"
#include "data/hdf5.hpp"

namespace cvf::data {
namespace {

GroupsPlan plan_for(const Source& source, const std::vector<std::size_t>& samples) {
  const Description& d = source.description();
  GroupsPlan plan{.state = d.state};
  for (const std::size_t sample : samples) {
    interrupt::throw_if_requested("no file was written");
    plan.times.push_back(source.times(sample));
  }
  plan.attributes.assign(d.attributes.begin(), d.attributes.end());
  return plan;
}

void copy_data(const Source& source, std::size_t from, hdf5::Dataset& to) {
  const std::size_t frames = to.extents().front(), size = source.description().frame_size();
  const std::size_t block = std::clamp<std::size_t>((std::size_t{1} << 22) / size, 1, frames);
  std::vector<float> values(block * size);
  std::vector<std::size_t> start(to.rank(), 0), count = to.extents();
  for (std::size_t first = 0; first < frames; first += block) {
    interrupt::throw_if_requested("no file was written");
    start.front() = first;
    count.front() = std::min(block, frames - first);
    source.read(from, first, count.front(), std::span(values).first(count.front() * size));
    to.write(start, count, values.data());
  }
}

void copy_beside(const Source& source, std::size_t from, const GroupsPlan& plan, std::size_t place,
                 const hdf5::Group& to) {
  const auto write = [&to](const std::string& path, const std::vector<std::size_t>& extents,
                           const std::vector<float>& values) {
    const std::vector<std::size_t> start(extents.size(), 0);
    to.create_dataset(path, extents, {hdf5::Element::float32}).write(start, extents, values.data());
  };
  const auto statics = plan.state.names(Role::static_field), controls = plan.state.names(Role::control);
  if (!statics.empty()) to.create_group("static");
  for (const auto& name : statics)
    write(static_path(name), plan.static_extents(), source.static_field(from, name));
  if (!controls.empty()) to.create_group("controls");
  for (const auto& name : controls) {
    const auto values = source.control(from, name);
    write(control_path(name), {values.size()}, values);
  }
  const auto fields = plan.state.names(Role::control_field);
  if (!fields.empty()) to.create_group("control_fields");
  for (const auto& name : fields)
    write(control_field_path(name), plan.control_field_extents(place), source.control(from, name));
}

hdf5::Storage storage_for(const std::vector<std::size_t>& extents, int gzip) {
  hdf5::Storage storage{hdf5::Element::float32};
  if (extents.size() > 2 || gzip > 0) {
    storage.chunk = extents;
    if (extents.size() > 2) storage.chunk.front() = 1;  // one chunk a frame
  }
  storage.deflate = gzip;
  storage.shuffle = gzip > 0;
  return storage;
}

}  // namespace

void convert(const Source& source, const std::string& path, const ConvertOptions& options) {
  std::vector<std::size_t> samples = options.samples;
  if (samples.empty()) {
    samples.resize(source.description().samples);
    std::iota(samples.begin(), samples.end(), std::size_t{0});
  }
  const GroupsPlan plan = plan_for(source, samples);
  files::write_atomically(path, [&](const std::string& temporary) {
    hdf5::File file = hdf5::File::create(temporary);
    hdf5::Group root = file.root();
    write_root(root, plan);
    Progress progress("writing", samples.size(), "samples");
    for (std::size_t i = 0; i < samples.size(); ++i) {
      interrupt::throw_if_requested("no file was written");
      hdf5::Group group = root.create_group(plan.key(i));
      group.set("sample", static_cast<std::int64_t>(samples[i]));
      hdf5::Dataset data =
          group.create_dataset("data", plan.extents(i), storage_for(plan.extents(i), options.gzip));
      data.set("axes", plan.axes());
      copy_data(source, samples[i], data);
      write_grid(group, plan, i);
      hdf5::Group scalars = group.create_group("scalars");
      for (const auto& [name, value] : source.scalars(samples[i])) scalars.write_number(name, value);
      copy_beside(source, samples[i], plan, i, group);
      progress.advance();
    }
    file.close();
  });
}

}  // namespace cvf::data
