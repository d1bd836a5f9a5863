// Writing datasets: creation, blocks, growth.
#include "core/errors.hpp"
#include "data/hdf5.hpp"

namespace cvf::data::hdf5 {
namespace {

hid_t stored_type(Element element) {
  switch (element) {
    case Element::float32:
      return H5T_IEEE_F32LE;
    case Element::float64:
      return H5T_IEEE_F64LE;
    case Element::int64:
      return H5T_STD_I64LE;
    case Element::uint8:
      break;
  }
  return H5T_STD_U8LE;
}

Handle creation_of(const Storage& storage, const std::string& name) {
  Handle creation(checked(H5Pcreate(H5P_DATASET_CREATE), name));
  checked(H5Pset_obj_track_times(creation.get(), false), name);  // the same content gives the same bytes
  if (!storage.chunk.empty()) {
    checked(
        H5Pset_chunk(creation.get(), static_cast<int>(storage.chunk.size()), to_hsize(storage.chunk).data()),
        name);
  }
  if (storage.shuffle) checked(H5Pset_shuffle(creation.get()), name);
  if (storage.deflate > 0)
    checked(H5Pset_deflate(creation.get(), static_cast<unsigned>(storage.deflate)), name);
  if (storage.reserved) {
    checked(H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY), name);
    checked(H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER), name);
  }
  return creation;
}

Handle space_for(const Extents& extents, bool growable, const std::string& name) {
  if (extents.empty()) return Handle(checked(H5Screate(H5S_SCALAR), name));
  const auto now = to_hsize(extents);
  auto most = now;
  if (growable) most.front() = H5S_UNLIMITED;
  return Handle(checked(H5Screate_simple(static_cast<int>(now.size()), now.data(), most.data()), name));
}

}  // namespace

Dataset Group::create_dataset(const std::string& child, const Extents& extents,
                              const Storage& storage) const {
  const Guard guard;
  const std::string place = fmt::format("{}: dataset '{}'", file(), below(child));
  const Handle space = space_for(extents, storage.growable, place), creation = creation_of(storage, place);
  Handle handle(H5Dcreate2(id(), child.c_str(), stored_type(storage.element), space.get(), H5P_DEFAULT,
                           creation.get(), H5P_DEFAULT));
  require_written();
  if (!handle) throw DataError("{} cannot be created: {}", place, reason());
  return {std::move(handle), file(), below(child), faults_};
}

void Group::write_array(const std::string& child, std::span<const double> values,
                        const Storage& storage) const {
  const std::size_t start = 0, count = values.size();
  create_dataset(child, {count}, storage).write({&start, 1}, {&count, 1}, values.data());
}

void Group::write_number(const std::string& child, double value) const {
  create_dataset(child, {}, {Element::float64}).write({}, {}, &value);
}

void Dataset::store(std::span<const std::size_t> start, std::span<const std::size_t> count, hid_t type,
                    const void* values) {
  const Guard guard;
  const Handle space = space_of(start, count);
  const Handle memory = space_for({count.begin(), count.end()}, false, name());
  if (H5Dwrite(id(), type, memory.get(), space.get(), H5P_DEFAULT, values) < 0) {
    throw DataError("{}: cannot be written: {}", name(), reason());
  }
  require_written();
}

void Dataset::write(std::span<const std::size_t> start, std::span<const std::size_t> count,
                    const float* values) {
  store(start, count, H5T_NATIVE_FLOAT, values);
}

void Dataset::write(std::span<const std::size_t> start, std::span<const std::size_t> count,
                    const double* values) {
  store(start, count, H5T_NATIVE_DOUBLE, values);
}

void Dataset::grow(std::size_t first_extent) {
  const Guard guard;
  Extents wanted = extents_;
  wanted.at(0) = first_extent;
  if (H5Dset_extent(id(), to_hsize(wanted).data()) < 0)
    throw DataError("{}: cannot grow: {}", name(), reason());
  extents_ = std::move(wanted);
}

}  // namespace cvf::data::hdf5
