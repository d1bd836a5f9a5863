// What a dataset must pass before a byte of it is read: files come from strangers.
#include <algorithm>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "data/hdf5.hpp"
#include "data/lzf.hpp"

namespace cvf::data::hdf5 {
namespace {

constexpr std::size_t largest_chunk = std::size_t{1} << 30;
constexpr std::size_t largest_ratio = 10000;  // deflate reaches 1032; the rest allows for chunks left out
constexpr std::size_t free_bytes = std::size_t{64} << 20;

void refuse_foreign_storage(const std::string& name, hid_t creation) {
  if (checked(H5Pget_layout(creation), name) == H5D_VIRTUAL) {
    throw DataError("{}: is a virtual dataset, whose values lie in other files; copy it into one (h5repack)",
                    name);
  }
  if (checked(H5Pget_external_count(creation), name) > 0) {
    throw DataError("{}: keeps its values in an external file, which is not followed; copy it (h5repack)",
                    name);
  }
}

void refuse_bad_lzf(const std::string& name, std::span<const unsigned> parameters, std::size_t chunk_bytes) {
  if (parameters.size() >= 3 && parameters[2] >= chunk_bytes) return;
  throw DataError("{}: its LZF filter declares chunks smaller than they are", name);
}

void refuse_unknown_filters(const std::string& name, hid_t creation, std::size_t chunk_bytes) {
  const int filters = checked(H5Pget_nfilters(creation), name);
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0, parameters[8] = {}, config = 0;
    std::size_t count = 8;
    char label[64] = "";
    const H5Z_filter_t id = H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &count, parameters,
                                           sizeof label, label, &config);
    if (id < 0 || H5Zfilter_avail(id) <= 0) {
      throw DataError(
          "{}: is packed with filter {} ({}), which this program cannot unpack; rewrite it with gzip or none",
          name, static_cast<int>(id), label[0] == 0 ? "unnamed" : label);
    }
    if (id == lzf::filter_id)
      refuse_bad_lzf(name, {parameters, std::min<std::size_t>(count, 8)}, chunk_bytes);
  }
}

std::size_t bytes_of(const std::string& name, std::span<const std::size_t> extents, std::size_t element) {
  std::size_t bytes = element;
  for (const std::size_t extent : extents) {
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      throw DataError("{}: declares more bytes than any disk", name);
  }
  return bytes;
}

void refuse_more_than_the_file(const Dataset& dataset, H5D_layout_t layout) {
  hsize_t file_bytes = 0;
  const Handle file(checked(H5Iget_file_id(dataset.id()), dataset));
  checked(H5Fget_filesize(file.get(), &file_bytes), dataset);
  const std::size_t declared = bytes_of(dataset.name(), dataset.extents(), dataset.element_size());
  const std::size_t stored = dataset.stored_bytes();
  const bool too_large =
      layout == H5D_CHUNKED
          ? stored > file_bytes || (declared > free_bytes && declared / largest_ratio > file_bytes)
          : stored > file_bytes || (stored != 0 && declared > stored);
  if (too_large) {
    throw DataError("{}: declares {}, but the whole file has {}: it is cut short or damaged", dataset.name(),
                    text::bytes(declared), text::bytes(file_bytes));
  }
}

}  // namespace

void Dataset::require_readable() const {
  const Guard guard;
  const Handle creation(H5Dget_create_plist(id()));
  require_read();
  if (!creation) throw DataError("{}: its storage is damaged: {}", name(), reason());
  refuse_foreign_storage(name(), creation.get());
  if (element_size() == 0) throw DataError("{}: declares values of no size", name());
  const Extents sizes = chunk();
  if (std::find(sizes.begin(), sizes.end(), 0U) != sizes.end())
    throw DataError("{}: declares chunks of no size", name());
  const std::size_t chunk_bytes = sizes.empty() ? 0 : bytes_of(name(), sizes, element_size());
  if (chunk_bytes > largest_chunk) throw DataError("{}: has chunks of {}", name(), text::bytes(chunk_bytes));
  refuse_unknown_filters(name(), creation.get(), chunk_bytes);
  refuse_more_than_the_file(*this, checked(H5Pget_layout(creation.get()), *this));
}

}  // namespace cvf::data::hdf5
