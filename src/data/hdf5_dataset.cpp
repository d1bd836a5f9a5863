// Reading datasets: blocks, and chunk caches that fit the blocks.
#include <algorithm>
#include <limits>

#include "core/errors.hpp"
#include "data/hdf5.hpp"

namespace cvf::data::hdf5 {
namespace {

constexpr std::size_t most_small_values = std::size_t{1} << 24;

Extents extents_of(hid_t dataset, const std::string& name) {
  const Handle space(H5Dget_space(dataset));
  const int rank = space ? H5Sget_simple_extent_ndims(space.get()) : -1;
  if (rank < 0 || H5Sget_simple_extent_type(space.get()) == H5S_NULL)
    throw DataError("{}: has no extent", name);
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr);
  hsize_t product = 1;
  for (const hsize_t size : sizes) {
    if (__builtin_mul_overflow(product, size, &product)) {
      throw DataError("{}: declares {} values, more than any machine has", name, fmt::join(sizes, " x "));
    }
  }
  return {sizes.begin(), sizes.end()};
}

}  // namespace

Dataset::Dataset(Handle handle, std::string file, std::string path, SharedFaults faults)
    : Object(std::move(handle), std::move(file), std::move(path), std::move(faults)) {
  const Guard guard;
  extents_ = extents_of(id(), name());
}

std::size_t Dataset::size() const {
  std::size_t product = 1;
  for (const std::size_t extent : extents_) product *= extent;  // cannot overflow: extents_of looked
  return product;
}

bool Dataset::is_floating() const {
  const Guard guard;
  return packing_.is_real || H5Tget_class(Handle(H5Dget_type(id())).get()) == H5T_FLOAT;
}

bool Dataset::is_numeric() const {
  const Guard guard;
  const H5T_class_t kind = H5Tget_class(Handle(H5Dget_type(id())).get());
  return kind == H5T_FLOAT || kind == H5T_INTEGER;
}

std::size_t Dataset::element_size() const {
  const Guard guard;
  return H5Tget_size(Handle(H5Dget_type(id())).get());
}

std::size_t Dataset::stored_bytes() const {
  const Guard guard;
  const std::size_t bytes = H5Dget_storage_size(id());
  require_read();
  return bytes;
}

Extents Dataset::chunk() const {
  const Guard guard;
  const Handle creation(H5Dget_create_plist(id()));
  if (H5Pget_layout(creation.get()) != H5D_CHUNKED) return {};
  std::vector<hsize_t> sizes(rank());
  if (H5Pget_chunk(creation.get(), static_cast<int>(rank()), sizes.data()) < 0) return {};
  return {sizes.begin(), sizes.end()};
}

Handle Dataset::space_of(std::span<const std::size_t> start, std::span<const std::size_t> count) const {
  Handle space(H5Dget_space(id()));
  if (start.size() != rank() || count.size() != rank()) {
    throw DataError("{}: has {} axes, not {}", name(), rank(), start.size());
  }
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    if (start[axis] > extents_[axis] || count[axis] > extents_[axis] - start[axis]) {
      throw DataError("{}: entries {} to {} of axis {} were asked for, but it has {}", name(), start[axis],
                      start[axis] + count[axis], axis, extents_[axis]);
    }
  }
  if (rank() > 0) {
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, to_hsize(start).data(), nullptr, to_hsize(count).data(),
                        nullptr);
  }
  return space;
}

std::vector<double> Dataset::read_all() const {
  if (size() > most_small_values)
    throw DataError("{}: has {} values, too many for coordinates", name(), size());
  std::vector<double> values(size());
  read(Extents(rank(), 0), extents_, values.data());
  return values;
}

std::size_t Dataset::fit_cache(std::span<const std::size_t> block, std::size_t most_bytes) {
  const Guard guard;
  const Extents sizes = chunk();
  if (sizes.empty()) return 0;
  std::size_t chunks = 1, bytes = element_size();
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    chunks *= (block[axis] + sizes[axis] - 1) / sizes[axis];
    bytes *= sizes[axis];
  }
  constexpr std::size_t default_bytes = 1 << 20;
  if (chunks > most_bytes / bytes) return std::min(bytes, default_bytes);
  const std::size_t wanted = std::max(chunks * bytes, default_bytes);
  if (wanted == default_bytes) return wanted;
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS));
  H5Pset_chunk_cache(access.get(), std::clamp<std::size_t>(chunks * 10 + 1, 521, 100003), wanted, 0.75);
  const Handle parent(H5Iget_file_id(id()));  // keeps the file open while the dataset is closed
  handle_.reset();
  handle_ = Handle(H5Dopen2(parent.get(), path().c_str(), access.get()));
  require_read();
  if (!handle_) throw DataError("{}: cannot be opened again: {}", name(), reason());
  return wanted;
}

}  // namespace cvf::data::hdf5
