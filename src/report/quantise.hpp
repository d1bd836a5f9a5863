// Fields as bytes in a page: a value a byte, and the bytes as base64.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/movie.hpp"

namespace cvf::report {

struct Range {
  double low = 0, high = 1;
};

/// [frame][channel][y][x], one byte each: 0 .. 254 from low to high of the channel's range, clamped; 255
/// where there is no number.
std::string quantised(const Movie& movie, std::span<const Range> ranges);

std::string base64(std::string_view bytes);

}  // namespace cvf::report
