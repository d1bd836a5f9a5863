#include <algorithm>
#include <bit>
#include <cstring>

#include "core/errors.hpp"
#include "model/safetensors/header.hpp"

namespace cvf::model::safetensors {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are stored as they stand in memory");

constexpr std::size_t length_size = 8;
constexpr std::uint64_t longest_header = 100'000'000;

std::string_view header_of(std::string_view file, std::string_view path) {
  if (file.size() < length_size) {
    throw ModelError("{}: {} bytes are too few for a safetensors file", path, file.size());
  }
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), length_size);
  if (length > longest_header) {
    throw ModelError("{}: a header of {} bytes is longer than the {} allowed", path, length, longest_header);
  }
  if (length > file.size() - length_size) {
    throw ModelError("{}: the header of {} bytes goes beyond the end of the file", path, length);
  }
  return file.substr(length_size, length);
}

void check_size(const HeaderEntry& entry, std::uint64_t available, std::string_view path) {
  const auto wanted = byte_count(entry.dtype, entry.shape);
  if (!wanted) {
    throw ModelError("{}: tensor {} has the shape {}, which is too large", path, shown(entry.name),
                     words(entry.shape));
  }
  const auto begin = static_cast<std::uint64_t>(entry.offsets[0]);
  const auto end = static_cast<std::uint64_t>(entry.offsets[1]);
  if (begin > end || end > available) {
    throw ModelError("{}: tensor {} lies at bytes {} to {} of {} bytes of data", path, shown(entry.name),
                     begin, end, available);
  }
  if (end - begin != *wanted) {
    throw ModelError("{}: tensor {} has {} bytes, but {} {} needs {}", path, shown(entry.name), end - begin,
                     name_of(entry.dtype), words(entry.shape), *wanted);
  }
}

// Sorted by their place, each tensor must begin where the one before it ends, and the last end the file.
void check_places(const std::vector<HeaderEntry>& entries, std::uint64_t available, std::string_view path) {
  std::int64_t reached = 0;
  for (const auto& entry : entries) {
    if (entry.offsets[0] != reached) {
      throw ModelError("{}: tensor {} begins at byte {}, {} byte {} where the data before it ends", path,
                       shown(entry.name), entry.offsets[0],
                       entry.offsets[0] < reached ? "overlapping what lies before" : "leaving a hole after",
                       reached);
    }
    reached = entry.offsets[1];
  }
  if (static_cast<std::uint64_t>(reached) != available) {
    throw ModelError("{}: {} bytes lie behind the last tensor", path,
                     available - static_cast<std::uint64_t>(reached));
  }
}

}  // namespace

Contents parse(std::string_view file, std::string_view path) {
  const std::string_view json = header_of(file, path);
  const std::string_view data = file.substr(length_size + json.size());
  Header header = parse_header(json, path);
  for (const auto& entry : header.entries) check_size(entry, data.size(), path);
  std::sort(header.entries.begin(), header.entries.end(),
            [](const auto& a, const auto& b) { return a.offsets < b.offsets; });
  check_places(header.entries, data.size(), path);

  Contents out{.tensors = {}, .metadata = std::move(header.metadata)};
  for (auto& entry : header.entries) {
    const auto begin = static_cast<std::size_t>(entry.offsets[0]);
    const auto size = static_cast<std::size_t>(entry.offsets[1]) - begin;
    out.tensors.push_back({std::move(entry.name), entry.dtype, std::move(entry.shape),
                           std::as_bytes(std::span(data.substr(begin, size)))});
  }
  return out;
}

}  // namespace cvf::model::safetensors
