// A view places an array of any axis order into frames [t, axes, C]: the one engine behind every layout.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/state_spec.hpp"
#include "data/array.hpp"

namespace cvf::data {

constexpr std::size_t most_buffered =
    (std::size_t{1} << 20) / sizeof(float);  // values: what caches close by hold

/// Axes of a frame, the slowest first, and its channels behind them.
struct FrameShape {
  FrameShape(const StateSpec& state, std::size_t channels);

  std::vector<std::pair<char, std::size_t>> axes;  // letter and entries
  std::size_t channels = 1;
  std::size_t size() const;
  std::size_t stride(char axis) const;  // between neighbours along an axis of the grid; 0: there is none
};

struct View {
  ArrayPointer array;
  std::string axes;                       // a letter for each axis of the array (see array.hpp)
  std::size_t first_channel = 0;          // where its channels go among those of the frame
  std::optional<std::size_t> only_frame;  // the array has no time: it is this frame, and no other
};

/// Reads frames [first, first + count) of `sample` into the view's channels of `out` [count, axes, C]. Axes
/// that the array lacks, or has one entry of, are repeated. The buffer in between stays below 8 MB or one
/// frame.
void read(const View& view, std::size_t sample, std::size_t first, std::size_t count, const FrameShape& shape,
          float* out);

}  // namespace cvf::data
