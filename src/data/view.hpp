// A view places an array of any axis order into frames [t, y, x, C]: the one engine behind every layout.
#pragma once

#include <optional>
#include <string>

#include "data/array.hpp"

namespace cvf::data {

constexpr std::size_t most_buffered =
    (std::size_t{1} << 20) / sizeof(float);  // values: what caches close by hold

struct FrameShape {
  std::size_t ny = 1, nx = 1, channels = 1;
  std::size_t size() const { return ny * nx * channels; }
};

struct View {
  ArrayPointer array;
  std::string axes;                       // a letter for each axis of the array (see axes.hpp)
  std::size_t first_channel = 0;          // where its channels go among those of the frame
  std::optional<std::size_t> only_frame;  // the array has no time: it is this frame, and no other
};

/// Reads frames [first, first + count) of `sample` into the view's channels of `out` [count, y, x, C]. Axes
/// that the array lacks, or has one entry of, are repeated. The buffer in between stays below 8 MB or one
/// frame.
void read(const View& view, std::size_t sample, std::size_t first, std::size_t count, const FrameShape& shape,
          float* out);

}  // namespace cvf::data
