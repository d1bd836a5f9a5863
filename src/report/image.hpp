// A picture in memory: pixels, rectangles, lines, small text, numbers as colours; saved as PNG.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cvf::report {

// A 5 x 7 dot font for labels in pictures: digits, letters, and the signs that numbers and names need.

inline constexpr int glyph_width = 5;
using Glyph = std::array<std::uint8_t, 7>;  // rows from the top, five bits each, the leftmost bit highest

const Glyph& glyph_of(char c);  // an unknown character is drawn as a box

struct Colour {
  std::uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Colour&) const = default;
};

inline constexpr Colour white{255, 255, 255}, black{20, 20, 24}, grey{150, 150, 155}, magenta{255, 0, 220};

class Image {
 public:
  Image(int width, int height, Colour background = white);
  int width() const { return width_; }
  int height() const { return height_; }

  void set(int x, int y, Colour colour);  // outside the picture: nothing
  Colour at(int x, int y) const;
  void fill(int x, int y, int width, int height, Colour colour);
  void frame(int x, int y, int width, int height, Colour colour);  // a one-pixel border around the rectangle
  void line(double x0, double y0, double x1, double y1, Colour colour);
  void write(int x, int y, std::string_view text, Colour colour = black, int scale = 1);  // upper left corner

  std::string png() const;                   // the encoded bytes
  void save(const std::string& path) const;  // atomic

  static constexpr int glyph_height = 7;
  static int text_width(std::string_view text, int scale = 1);

 private:
  int width_, height_;
  std::vector<std::uint8_t> pixels_;  // [height, width, 3]
};

// Numbers to colours. Both maps run through Oklab, where equal steps look equal, with lightness that only
// rises (sequential) or rises and falls evenly (diverging), so they also read in grey.

enum class Palette { sequential, diverging };

Colour colour_of(Palette palette, double share);  // share in [0, 1]; NaN gives magenta, which no map contains

/// What colours stand for: the range of the data, symmetric about 0 when it takes both signs.
struct Scale {
  double low = 0, high = 1;
  Palette palette = Palette::sequential;

  Colour colour(double value) const { return colour_of(palette, (value - low) / (high - low)); }
};

Scale scale_for(double low, double high);

}  // namespace cvf::report
