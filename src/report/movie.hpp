// Some frames of one trajectory in memory, and what a page shows of them: coarser, as bytes, in a plane.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/source.hpp"

namespace cvf::report {

/// Rows (y) and columns (x) of the pictures of a state. A DataError for three axes, which no picture shows.
struct PictureSize {
  std::size_t rows = 1, columns = 1;
};
PictureSize picture_size(const data::Description& about);

struct Movie {
  std::size_t frames = 0, rows = 1, columns = 1, channels = 1;
  std::vector<float> values;  // [frames, rows, columns, channels]; NaN: not there

  std::size_t frame_size() const { return rows * columns * channels; }
  std::span<const float> frame(std::size_t index) const {
    return std::span(values).subspan(index * frame_size(), frame_size());
  }
};

/// The wanted frames of a sample; a frame that is not given is NaN.
Movie read_movie(const data::Source& source, std::size_t sample,
                 std::span<const std::optional<std::size_t>> wanted);

/// Square blocks of so many cells a side leave no side of a grid with more than `side`.
inline std::size_t block_for(const PictureSize& size, std::size_t side) {
  return (std::max(size.rows, size.columns) + side - 1) / side;
}
inline std::size_t blocks(std::size_t cells, std::size_t block) {
  return (cells + block - 1) / block;
}

/// Means over such blocks; those at the end may be cut.
Movie coarsened(const Movie& movie, std::size_t side);

Movie difference(const Movie& a, const Movie& b);

/// For each frame the root of the mean square; NaN when the frame holds one.
std::vector<double> rms(const Movie& movie);

// A trajectory in high dimensions seen in the plane where it moves most: the first two principal components.

class Plane {
 public:
  /// Fitted to the finite frames of `movie`. With fewer than three of them everything lies at the origin.
  explicit Plane(const Movie& movie);

  using Point = std::array<double, 2>;
  std::vector<Point> project(const Movie& movie) const;  // NaN where a frame is not finite
  Point explained() const { return explained_; }         // shares of the variance

 private:
  std::vector<double> centre_;
  std::array<std::vector<double>, 2> axes_;  // orthonormal
  Point explained_{};
};

// Fields as bytes in a page: a value a byte, and the bytes as base64.

struct Range {
  double low = 0, high = 1;
};

/// [frame][channel][y][x], one byte each: 0 .. 254 from low to high of the channel's range, clamped; 255
/// where there is no number.
std::string quantised(const Movie& movie, std::span<const Range> ranges);

std::string base64(std::string_view bytes);

}  // namespace cvf::report
