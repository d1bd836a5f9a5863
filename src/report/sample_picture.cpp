#include "report/sample_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/errors.hpp"
#include "report/image.hpp"
#include "report/movie.hpp"

namespace cvf::report {
namespace {

constexpr int margin = 12, gap = 8, title = 26, bar_width = 12, label_width = 72;

struct Extremes {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void add(float value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, double{value});
    high = std::max(high, double{value});
  }
};

// One scale for all frames of a channel, so that they can be compared.
Scale scale_of_channel(const std::vector<float>& values, std::size_t channels, std::size_t c) {
  Extremes range;
  for (std::size_t i = c; i < values.size(); i += channels) range.add(values[i]);
  return scale_for(range.low, range.high);
}

/// A field to draw: values[(row * columns + column) * stride + offset].
struct Field {
  const float* values;
  std::size_t rows, columns, stride, offset;
  float at(std::size_t row, std::size_t column) const {
    return values[(row * columns + column) * stride + offset];
  }
};

// y grows upwards in physics and downwards in pictures.
void draw_field(Image& image, int x, int y, int width, int height, const Field& field, const Scale& scale) {
  for (int row = 0; row < height; ++row) {
    const auto from =
        field.rows - 1 - static_cast<std::size_t>(row) * field.rows / static_cast<std::size_t>(height);
    for (int column = 0; column < width; ++column) {
      image.set(x + column, y + row,
                scale.colour(field.at(from, static_cast<std::size_t>(column) * field.columns /
                                                static_cast<std::size_t>(width))));
    }
  }
  image.frame(x, y, width, height, grey);
}

void draw_colour_bar(Image& image, int x, int y, int height, const Scale& scale) {
  for (int row = 0; row < height; ++row) {
    image.fill(x, y + row, bar_width, 1, colour_of(scale.palette, 1 - (row + 0.5) / height));
  }
  image.frame(x, y, bar_width, height, grey);
  for (const double share : {0.0, 0.5, 1.0}) {
    const int tick = y + static_cast<int>((1 - share) * (height - Image::glyph_height));
    image.write(x + bar_width + 4, tick, fmt::format("{:.3g}", std::lerp(scale.low, scale.high, share)));
  }
}

std::vector<std::size_t> chosen_frames(const PictureOptions& options, std::size_t available) {
  std::vector<std::size_t> frames = options.frames;
  const auto columns = std::min(available, static_cast<std::size_t>(std::max(1, options.columns)));
  for (std::size_t i = 0; frames.empty() || (options.frames.empty() && i < columns); ++i) {
    frames.push_back(columns == 1 ? 0 : i * (available - 1) / (columns - 1));
  }
  return frames;
}

// The smallest multiple of the grid that is at least `wanted` pixels on its longer side; coarse pixels stay
// square.
std::pair<int, int> panel_size(std::size_t rows, std::size_t columns, int wanted) {
  const double factor = static_cast<double>(wanted) / static_cast<double>(std::max(rows, columns));
  const double zoom = factor >= 1 ? std::ceil(factor) : factor;
  return {std::max(1, static_cast<int>(static_cast<double>(columns) * zoom)),
          std::max(1, static_cast<int>(static_cast<double>(rows) * zoom))};
}

Image frames_in_rows(const data::Source& source, std::size_t sample, const PictureOptions& options) {
  const auto& d = source.description();
  const auto frames = chosen_frames(options, d.frames[sample]);
  const auto times = source.times(sample);
  const auto names = d.channels();
  const std::size_t channels = names.size(), size = d.frame_size();
  std::vector<float> values(frames.size() * size);
  for (std::size_t i = 0; i < frames.size(); ++i)
    source.read(sample, frames[i], 1, std::span(values).subspan(i * size, size));

  const auto [rows, grid_columns] = picture_size(d);
  const auto [width, height] = panel_size(rows, grid_columns, options.panel);
  const int columns = static_cast<int>(frames.size());
  Image image(2 * margin + columns * (width + gap) + bar_width + label_width,
              margin + static_cast<int>(channels) * (height + title));
  for (std::size_t c = 0; c < channels; ++c) {
    const Scale scale = scale_of_channel(values, channels, c);
    const int y = title + static_cast<int>(c) * (height + title);
    for (int i = 0; i < columns; ++i) {
      const int x = margin + i * (width + gap);
      const auto at = static_cast<std::size_t>(i);
      image.write(x, y - Image::glyph_height - 4, fmt::format("{}  t={:.4g}", names[c], times[frames[at]]));
      draw_field(image, x, y, width, height, {&values[at * size], rows, grid_columns, channels, c}, scale);
    }
    draw_colour_bar(image, margin + columns * (width + gap) + 4, y, height, scale);
  }
  return image;
}

Image space_time_map(const data::Source& source, std::size_t sample, const PictureOptions& options) {
  const auto& d = source.description();
  const auto names = d.channels();
  const std::size_t frames = d.frames[sample], channels = names.size();
  std::vector<float> values(frames * d.frame_size());
  source.read(sample, 0, frames, values);
  const auto times = source.times(sample);
  const int side = 2 * options.panel, width = side, height = side;
  Image image(2 * margin + width + gap + bar_width + label_width,
              margin + static_cast<int>(channels) * (height + title));
  for (std::size_t c = 0; c < channels; ++c) {
    const Scale scale = scale_of_channel(values, channels, c);
    const int y = title + static_cast<int>(c) * (height + title);
    image.write(
        margin, y - Image::glyph_height - 4,
        fmt::format("{}  x to the right, t={:.4g} to {:.4g} upwards", names[c], times.front(), times.back()));
    draw_field(image, margin, y, width, height, {values.data(), frames, d.state.cells(), channels, c}, scale);
    draw_colour_bar(image, margin + width + gap + 4, y, height, scale);
  }
  return image;
}

Image curves(const data::Source& source, std::size_t sample, const PictureOptions& options) {
  const auto& d = source.description();
  const auto names = d.channels();
  const std::size_t frames = d.frames[sample], channels = names.size();
  std::vector<float> values(frames * channels);
  source.read(sample, 0, frames, values);
  const auto times = source.times(sample);
  Extremes range;
  for (const float value : values) range.add(value);
  const double spread = range.high > range.low ? range.high - range.low : 1;
  const double duration = times.back() > times.front() ? times.back() - times.front() : 1;

  const int width = 4 * options.panel, height = 2 * options.panel;
  Image image(label_width + width + 2 * margin, title + height + title);
  const auto x_of = [&](double t) { return label_width + (t - times.front()) / duration * (width - 1); };
  const auto y_of = [&](double v) { return title + (range.high - v) / spread * (height - 1); };
  int legend = label_width;
  for (std::size_t c = 0; c < channels; ++c) {
    const Colour colour =
        colour_of(Palette::sequential, 0.85 * static_cast<double>(c) /
                                           static_cast<double>(std::max<std::size_t>(1, channels - 1)));
    image.fill(legend, 9, 14, 5, colour);
    image.write(legend + 18, 8, names[c]);
    legend += 30 + Image::text_width(names[c]);
    for (std::size_t t = 1; t < frames; ++t) {
      image.line(x_of(times[t - 1]), y_of(values[(t - 1) * channels + c]), x_of(times[t]),
                 y_of(values[t * channels + c]), colour);
    }
  }
  image.frame(label_width, title, width, height, grey);
  image.write(4, title, fmt::format("{:.4g}", range.high));
  image.write(4, title + height - Image::glyph_height, fmt::format("{:.4g}", range.low));
  image.write(label_width, title + height + 6, fmt::format("t={:.4g}", times.front()));
  const std::string end = fmt::format("t={:.4g}", times.back());
  image.write(label_width + width - Image::text_width(end), title + height + 6, end);
  return image;
}

}  // namespace

Image picture_of(const data::Source& source, std::size_t sample, const PictureOptions& options) {
  const auto& d = source.description();
  if (sample >= d.samples) throw UsageError("{}: no sample {}; it has {}", d.file, sample, d.samples);
  for (const std::size_t frame : options.frames) {
    if (frame >= d.frames[sample])
      throw UsageError("{}: sample {} has no frame {}; it has {}", d.file, sample, frame, d.frames[sample]);
  }
  if (d.state.is_vector()) return curves(source, sample, options);
  if (d.state.axes.size() == 1) return space_time_map(source, sample, options);
  return frames_in_rows(source, sample, options);
}

}  // namespace cvf::report
