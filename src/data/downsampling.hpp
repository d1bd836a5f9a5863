// Which frames of a trajectory training may see (paper, appendix "even" and "dynamic" down-sampling).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/config.hpp"

namespace cvf::data {

enum class Downsampling {
  even,     // frames 0, k, 2k, ...
  dynamic,  // a random 1/k of the frames, drawn once for each sample; true time stamps, so dt varies
};

struct DownsamplingOptions {
  Downsampling kind = Downsampling::even;
  int factor = 1;

  void describe(config::Section& section);
};

/// Indices of the frames kept, increasing; a pure function of its arguments.
std::vector<std::size_t> kept_frames(const DownsamplingOptions& options, std::size_t frames,
                                     std::uint64_t seed, std::size_t sample);

}  // namespace cvf::data
