// Between physical units and what the network sees, for each channel (docs/normalizers.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "normalizers/kinds.hpp"

namespace cvf::runtime {

struct Units {
  std::vector<double> mean, sigma;     // s~ = (s - mean) / sigma
  std::vector<double> factor, offset;  // den(psi) = psi * factor + offset
};

/// From the statistics in a model's normalizer.safetensors, for a normalizer of this kind. A ModelError says
/// what is wrong with the file.
Units units_of(std::int64_t channels, std::string_view kind, const normalizers::Options& options,
               const std::string& file, const std::string& path);

}  // namespace cvf::runtime
