// A 5 x 7 dot font for labels in pictures: digits, letters, and the signs that numbers and names need.
#pragma once

#include <array>
#include <cstdint>

namespace cvf::report {

inline constexpr int glyph_width = 5;
using Glyph = std::array<std::uint8_t, 7>;  // rows from the top, five bits each, the leftmost bit highest

const Glyph& glyph_of(char c);  // an unknown character is drawn as a box

}  // namespace cvf::report
