// GroupsWriter, where it lays out the structure of its file and finds the places of what will fill it.
#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "data/groups_writer.hpp"
#include "data/hdf5.hpp"

namespace cvf::data {
namespace {

// Hears a wish to stop, once for many frames: a layout of a moment is finished, and then can be gone on from.
void listen(std::size_t frames, std::size_t& unheard) {
  unheard += frames;
  if (unheard < 1000) return;
  unheard = 0;
  interrupt::throw_if_requested("the same command goes on");
}

haddr_t chunk_address(const hdf5::Dataset& dataset, std::size_t frame) {
  std::vector<hsize_t> corner(dataset.rank(), 0);
  corner.front() = frame;
  unsigned filters = 0;
  hsize_t size = 0;
  haddr_t address = HADDR_UNDEF;
  hdf5::checked(H5Dget_chunk_info_by_coord(dataset.id(), corner.data(), &filters, &address, &size), dataset);
  return address;
}

// The byte offsets of the frames of a dataset whose room is already reserved. HDF5 reserves chunks one behind
// the other; only where it did not is each of them looked up, which takes HDF5 a walk over all chunks.
std::vector<std::uint64_t> frame_offsets(const hdf5::Dataset& dataset, std::size_t frame_bytes) {
  const std::size_t frames = dataset.extents().front();
  const bool chunked = !dataset.chunk().empty();
  const haddr_t begin = chunked ? chunk_address(dataset, 0) : H5Dget_offset(dataset.id());
  const bool in_a_row = !chunked || chunk_address(dataset, frames - 1) == begin + (frames - 1) * frame_bytes;
  std::vector<std::uint64_t> out(frames);
  std::size_t unheard = 0;
  for (std::size_t i = 0; i < frames; ++i) {
    if (!in_a_row) listen(frames, unheard);
    out[i] = in_a_row ? begin + i * frame_bytes : chunk_address(dataset, i);
  }
  return out;
}

}  // namespace

void GroupsWriter::lay_out(const std::string& path) const {
  const hdf5::Guard guard;
  hdf5::File file = hdf5::File::create(path);
  hdf5::Group root = file.root();
  write_root(root, plan_);
  const auto statics = plan_.state.names(Role::static_field), controls = plan_.state.names(Role::control),
             control_fields = plan_.state.names(Role::control_field);
  std::size_t unheard = 0;
  for (std::size_t sample = 0; sample < plan_.samples(); ++sample) {
    listen(plan_.times[sample].size(), unheard);
    hdf5::Group group = root.create_group(plan_.key(sample));
    group.set("sample", static_cast<std::int64_t>(sample));
    hdf5::Storage storage{hdf5::Element::float32};
    storage.reserved = true;
    const auto extents = plan_.extents(sample);
    if (extents.size() > 2) {  // a vector state's frames are too small for chunks of their own
      storage.chunk = extents;
      storage.chunk.front() = 1;
    }
    group.create_dataset("data", extents, storage).set("axes", plan_.axes());
    for (const auto& name : plan_.beside)
      group.create_dataset(name, extents, storage).set("axes", plan_.axes());
    write_grid(group, plan_, sample);
    const auto reserve = [](const hdf5::Group& parent, const std::string& name, const hdf5::Extents& shape,
                            hdf5::Element element) {
      hdf5::Storage room{element};
      room.reserved = true;
      parent.create_dataset(name, shape, room);
    };
    const hdf5::Group scalars = group.create_group("scalars");
    for (const auto& name : plan_.scalar_names) reserve(scalars, name, {}, hdf5::Element::float64);
    if (!statics.empty()) group.create_group("static");
    for (const auto& name : statics)
      reserve(group, static_path(name), plan_.static_extents(), hdf5::Element::float32);
    if (!controls.empty()) group.create_group("controls");
    for (const auto& name : controls)
      reserve(group, control_path(name), {plan_.times[sample].size()}, hdf5::Element::float32);
    if (!control_fields.empty()) group.create_group("control_fields");
    for (const auto& name : control_fields)
      reserve(group, control_field_path(name), plan_.control_field_extents(sample), hdf5::Element::float32);
  }
  file.close();
}

void GroupsWriter::find_places(const std::string& path) {
  const hdf5::Guard guard;
  const hdf5::Group root = hdf5::File::open(path).root();
  places_.resize(plan_.samples());
  const auto statics = plan_.state.names(Role::static_field), controls = plan_.state.names(Role::control),
             control_fields = plan_.state.names(Role::control_field);
  std::size_t unheard = 0;
  for (std::size_t sample = 0; sample < plan_.samples(); ++sample) {
    listen(plan_.times[sample].size(), unheard);
    const hdf5::Group group = root.group(plan_.key(sample));
    Places& places = places_[sample];
    const auto offset = [&group](const std::string& name) { return H5Dget_offset(group.dataset(name).id()); };
    places.frames = frame_offsets(group.dataset("data"), plan_.frame_size() * sizeof(float));
    for (const auto& name : plan_.beside) {
      const auto more = frame_offsets(group.dataset(name), plan_.frame_size() * sizeof(float));
      places.frames.insert(places.frames.end(), more.begin(), more.end());
    }
    for (const auto& name : plan_.scalar_names) places.scalars.push_back(offset("scalars/" + name));
    for (const auto& name : statics) places.statics.push_back(offset(static_path(name)));
    for (const auto& name : controls) places.controls.push_back(offset(control_path(name)));
    for (const auto& name : control_fields) places.control_fields.push_back(offset(control_field_path(name)));
    for_each_piece(sample, [&](std::uint64_t place, std::size_t) {
      if (place == HADDR_UNDEF) {
        throw DataError("{}: no room was reserved for sample {}; delete the file and begin again", path,
                        sample);
      }
    });
  }
}

void GroupsWriter::for_each_piece(
    std::size_t sample, const std::function<void(std::uint64_t place, std::size_t bytes)>& use) const {
  const Places& places = places_[sample];
  for (const auto place : places.frames) use(place, plan_.frame_size() * sizeof(float));
  for (const auto place : places.scalars) use(place, sizeof(double));
  for (const auto place : places.statics) use(place, plan_.state.cells() * sizeof(float));
  const std::size_t frames = plan_.times[sample].size();
  for (const auto place : places.controls) use(place, frames * sizeof(float));
  for (const auto place : places.control_fields) use(place, frames * plan_.state.cells() * sizeof(float));
}

}  // namespace cvf::data
