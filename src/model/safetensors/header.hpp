// The JSON header of a safetensors file, as it stands there: whether offsets fit the bytes is checked later.
#pragma once

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

}  // namespace cvf::model::safetensors
