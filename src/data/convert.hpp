// Any readable file rewritten as cvf's own group layout, optionally compressed, or as an NPZ for NumPy.
#pragma once

#include <string>
#include <vector>

#include "data/source.hpp"

namespace cvf::data {

struct ConvertOptions {
  std::vector<std::size_t> samples;  // empty: all
  int gzip = 0;                      // 0 = off, 1..9; an NPZ is never compressed
};

/// Writes beside `path` and renames at the end; what `path` held before stays until then.
void convert(const Source& source, const std::string& path, const ConvertOptions& options = {});

/// The same as an NPZ that describes itself (layouts/numpy.cpp). Samples must have one length.
void convert_to_npz(const Source& source, const std::string& path, const ConvertOptions& options = {});

}  // namespace cvf::data
