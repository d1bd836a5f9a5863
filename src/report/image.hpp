// A picture in memory: pixels, rectangles, lines, small text; saved as PNG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cvf::report {

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

}  // namespace cvf::report
