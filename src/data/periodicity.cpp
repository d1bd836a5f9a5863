#include "data/periodicity.hpp"

#include <algorithm>
#include <cmath>

#include "core/interrupt.hpp"

namespace cvf::data {
namespace {

constexpr std::size_t fewest_cells = 8;  // with fewer, the ends are half of the grid

struct MeanSquare {
  double sum = 0, count = 0;
  void add(double difference) {
    sum += difference * difference;
    count += 1;
  }
  double mean() const { return count > 0 ? sum / count : 0; }
};

struct Differences {
  MeanSquare across, beside, inside, far, bend_across, bend_inside;
};

// The lines of a frame along one axis: its cells lie `stride` values apart.
void add_lines(const std::vector<float>& frame, std::size_t cells, std::size_t stride,
               std::vector<Differences>& channels) {
  for (std::size_t block = 0; block < frame.size(); block += cells * stride) {
    for (std::size_t offset = 0; offset < stride; ++offset) {
      Differences& into = channels[offset % channels.size()];
      const auto at = [&](std::size_t cell) {
        return static_cast<double>(frame[block + (cell % cells) * stride + offset]);
      };
      into.across.add(at(cells) - at(cells - 1));
      into.beside.add(at(1) - at(0));
      into.beside.add(at(cells - 1) - at(cells - 2));
      for (std::size_t i = 0; i + 1 < cells; ++i) into.inside.add(at(i + 1) - at(i));
      const auto bend = [&](std::size_t i) { return at(i + 1) - 2 * at(i) + at(i + cells - 1); };
      for (const std::size_t i : {std::size_t{0}, cells - 1}) into.bend_across.add(bend(i));
      for (std::size_t i = 1; i + 1 < cells; ++i) into.bend_inside.add(bend(i));
      for (std::size_t i = 0; i < cells / 2; ++i) into.far.add(at(i + cells / 2) - at(i));
    }
  }
}

// Every channel counts alike, whatever its unit.
Periodicity mean_of(const std::vector<Differences>& channels) {
  Periodicity out;
  double counted = 0;
  for (const auto& c : channels) {
    const double unit = c.far.mean();
    if (!(unit > 0)) continue;  // the same everywhere
    out.across += c.across.mean() / unit;
    out.beside += c.beside.mean() / unit;
    out.inside += c.inside.mean() / unit;
    out.bend_across += c.bend_across.mean() / unit;
    out.bend_inside += c.bend_inside.mean() / unit;
    counted += 1;
  }
  for (double* part : {&out.across, &out.beside, &out.inside, &out.bend_across, &out.bend_inside})
    *part = counted > 0 ? std::sqrt(*part / counted) : 0;
  return out;
}

}  // namespace

bool Periodicity::found() const {
  const bool smooth = inside > 0 && inside < 0.5;
  const bool something_happens = beside > 0.2 * inside;
  const bool alike = std::max(across, beside) < 2 * std::min(across, beside);
  const bool kink = bend_across > 2 * bend_inside;
  return smooth && something_happens && alike && !kink;
}

std::vector<Periodicity> periodicity(const Source& source, const std::vector<std::size_t>& samples) {
  constexpr std::size_t most_samples = 16, most_frames = 4;
  const auto& d = source.description();
  const std::size_t channels = d.state.count(Role::state);
  std::vector<std::vector<Differences>> found(d.state.axes.size(), std::vector<Differences>(channels));
  std::vector<float> frame(d.frame_size());
  for (std::size_t n = 0; n < samples.size(); n += std::max<std::size_t>(1, samples.size() / most_samples)) {
    const std::size_t frames = d.frames[samples[n]];
    for (std::size_t k = 0; k < frames; k += std::max<std::size_t>(1, frames / most_frames)) {
      interrupt::throw_if_requested("the file was only looked at");
      source.read(samples[n], k, 1, frame);
      require_finite(source, samples[n], k, frame);
      std::size_t stride = channels;
      for (std::size_t a = d.state.axes.size(); a-- > 0;) {
        const std::size_t cells = d.state.axes[a].size;
        if (cells >= fewest_cells) add_lines(frame, cells, stride, found[a]);
        stride *= cells;
      }
    }
  }
  std::vector<Periodicity> out;
  for (const auto& axis : found) out.push_back(mean_of(axis));
  return out;
}

}  // namespace cvf::data
