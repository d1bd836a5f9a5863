// Copying between two orders of the same axes.
#pragma once

#include <cstddef>
#include <vector>

namespace cvf::data {

/// One axis of a copy; a source stride of 0 repeats the same values.
struct Loop {
  std::size_t extent, source_stride, target_stride;
};

/// Copies every combination of loop indices. Tiled over the two fastest axes, so that a transposition reads
/// and writes whole cache lines.
void copy(std::vector<Loop> loops, const float* source, float* target);

/// True when both sides lie in memory in the same way, gap for gap.
bool same_order(const std::vector<Loop>& loops);

}  // namespace cvf::data
