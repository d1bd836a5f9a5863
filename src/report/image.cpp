#include "report/image.hpp"

#include <png.h>

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "core/files.hpp"

namespace cvf::report {

Image::Image(int width, int height, Colour background)
    : width_(width),
      height_(height),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3) {
  fill(0, 0, width, height, background);
}

void Image::set(int x, int y, Colour colour) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  std::uint8_t* pixel = &pixels_[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                                  static_cast<std::size_t>(x)) *
                                 3];
  pixel[0] = colour.r;
  pixel[1] = colour.g;
  pixel[2] = colour.b;
}

Colour Image::at(int x, int y) const {
  const std::uint8_t* pixel = &pixels_.at(
      (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)) * 3);
  return {pixel[0], pixel[1], pixel[2]};
}

void Image::fill(int x, int y, int width, int height, Colour colour) {
  for (int row = y; row < y + height; ++row) {
    for (int column = x; column < x + width; ++column) set(column, row, colour);
  }
}

void Image::frame(int x, int y, int width, int height, Colour colour) {
  fill(x - 1, y - 1, width + 2, 1, colour);
  fill(x - 1, y + height, width + 2, 1, colour);
  fill(x - 1, y, 1, height, colour);
  fill(x + width, y, 1, height, colour);
}

void Image::line(double x0, double y0, double x1, double y1, Colour colour) {
  const int steps =
      std::max(1, static_cast<int>(std::ceil(2 * std::max(std::abs(x1 - x0), std::abs(y1 - y0)))));
  for (int i = 0; i <= steps; ++i) {
    const double share = static_cast<double>(i) / steps;
    const int x = static_cast<int>(std::lround(x0 + share * (x1 - x0)));
    const int y = static_cast<int>(std::lround(y0 + share * (y1 - y0)));
    set(x, y, colour);
    set(x, y + 1, colour);  // two pixels thick, or thin lines vanish in a small picture
  }
}

void Image::write(int x, int y, std::string_view text, Colour colour, int scale) {
  for (const char c : text) {
    const Glyph& glyph = glyph_of(c);
    for (int row = 0; row < glyph_height; ++row) {
      for (int column = 0; column < glyph_width; ++column) {
        const bool inked = (glyph[static_cast<std::size_t>(row)] >> (glyph_width - 1 - column) & 1) != 0;
        if (inked) fill(x + column * scale, y + row * scale, scale, scale, colour);
      }
    }
    x += (glyph_width + 1) * scale;
  }
}

int Image::text_width(std::string_view text, int scale) {
  return static_cast<int>(text.size()) * (glyph_width + 1) * scale;
}

std::string Image::png() const {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width_);
  image.height = static_cast<png_uint_32>(height_);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels_.data(), 0, nullptr) == 0) {
    throw DataError("encoding a PNG of {} x {} failed: {}", width_, height_, image.message);
  }
  bytes.resize(size);
  return bytes;
}

void Image::save(const std::string& path) const {
  files::write_atomically(path, std::string_view(png()));
}

}  // namespace cvf::report
