// Reading datasets: blocks, and chunk caches that fit the blocks.
#include <algorithm>
#include <limits>

#include "core/errors.hpp"
#include "data/hdf5.hpp"

namespace cvf::data::hdf5 {
namespace {

constexpr std::size_t most_small_values = std::size_t{1} << 24;

Extents extents_of(hid_t dataset, const std::string& name) {
  const Handle space(checked(H5Dget_space(dataset), name));
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 0 || checked(H5Sget_simple_extent_type(space.get()), name) == H5S_NULL)
    throw DataError("{}: has no extent", name);
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  checked(H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr), name);
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

Handle Dataset::stored_type() const {
  return Handle(checked(H5Dget_type(id()), *this));
}

bool Dataset::is_floating() const {
  const Guard guard;
  return packing_.is_real || H5Tget_class(stored_type().get()) == H5T_FLOAT;
}

bool Dataset::is_numeric() const {
  const Guard guard;
  const H5T_class_t kind = checked(H5Tget_class(stored_type().get()), *this);
  return kind == H5T_FLOAT || kind == H5T_INTEGER;
}

std::size_t Dataset::element_size() const {
  const Guard guard;
  return H5Tget_size(stored_type().get());  // 0: it fails, which require_readable refuses
}

std::size_t Dataset::stored_bytes() const {
  const Guard guard;
  const std::size_t bytes = H5Dget_storage_size(id());
  require_read();
  return bytes;
}

Extents Dataset::chunk() const {
  const Guard guard;
  const Handle creation(checked(H5Dget_create_plist(id()), *this));
  if (checked(H5Pget_layout(creation.get()), *this) != H5D_CHUNKED) return {};
  std::vector<hsize_t> sizes(rank());
  checked(H5Pget_chunk(creation.get(), static_cast<int>(rank()), sizes.data()), *this);
  return {sizes.begin(), sizes.end()};
}

Handle Dataset::space_of(std::span<const std::size_t> start, std::span<const std::size_t> count) const {
  Handle space(checked(H5Dget_space(id()), *this));
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
    const auto from = to_hsize(start), sizes = to_hsize(count);
    checked(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, from.data(), nullptr, sizes.data(), nullptr),
            *this);
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
  const Handle access(checked(H5Pcreate(H5P_DATASET_ACCESS), *this));
  const std::size_t slots = std::clamp<std::size_t>(chunks * 10 + 1, 521, 100003);
  checked(H5Pset_chunk_cache(access.get(), slots, wanted, 0.75), *this);
  const Handle parent(
      checked(H5Iget_file_id(id()), *this));  // keeps the file open while the dataset is closed
  handle_.reset();
  Handle again(H5Dopen2(parent.get(), path().c_str(), access.get()));
  require_read();
  if (!again) throw DataError("{}: cannot be opened again: {}", name(), reason());
  handle_ = std::move(again);
  return wanted;
}

}  // namespace cvf::data::hdf5
