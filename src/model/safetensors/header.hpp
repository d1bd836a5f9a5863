// Inside the reader and the writer of safetensors: the JSON header as it stands there (whether offsets fit
// the bytes is checked later), value types, and words for sentences about tensors.
#pragma once

#include <optional>

#include "model/safetensors.hpp"

namespace cvf::model::safetensors {

struct HeaderEntry {
  std::string name;
  Dtype dtype = Dtype::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> offsets;  // begin, end, counted from behind the header
};

struct Header {
  std::vector<HeaderEntry> entries;
  std::map<std::string, std::string> metadata;
};

/// Throws a ModelError for anything that is not the format's JSON.
Header parse_header(std::string_view json, std::string_view path);

std::optional<Dtype> dtype_named(std::string_view name);

/// Bytes of a tensor, or nothing when the product does not fit into 63 bits.
std::optional<std::uint64_t> byte_count(Dtype dtype, std::span<const std::int64_t> shape);

std::string words(std::span<const std::int64_t> shape);  // "[3, 4]"

/// A name from a file, fit for a sentence: quoted, no control characters, cut when long.
std::string shown(std::string_view name);

}  // namespace cvf::model::safetensors
