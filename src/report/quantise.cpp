#include <algorithm>
#include <cmath>
#include <cstdint>

#include "report/movie.hpp"

namespace cvf::report {
namespace {

constexpr int steps = 254, missing = 255;

char byte_of(float value, const Range& range) {
  if (std::isnan(value)) return static_cast<char>(missing);
  const double share = range.high > range.low ? (value - range.low) / (range.high - range.low) : 0.5;
  return static_cast<char>(std::lround(steps * std::clamp(share, 0.0, 1.0)));
}

}  // namespace

std::string quantised(const Movie& movie, std::span<const Range> ranges) {
  std::string out;
  out.reserve(movie.values.size());
  for (std::size_t t = 0; t < movie.frames; ++t) {
    const auto frame = movie.frame(t);
    for (std::size_t c = 0; c < movie.channels; ++c) {
      for (std::size_t i = c; i < frame.size(); i += movie.channels) out += byte_of(frame[i], ranges[c]);
    }
  }
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      three = three << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k > bytes.size() ? '=' : letters[three >> (18 - 6 * k) & 63];
    }
  }
  return out;
}

}  // namespace cvf::report
