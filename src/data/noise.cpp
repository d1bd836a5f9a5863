#include "data/noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "core/interrupt.hpp"

namespace cvf::data {
namespace {

constexpr std::size_t points = 5, strides = 2;

using Weights = std::array<double, points>;

// Of the fourth divided difference at times[first], times[first + stride], ..., with a sum of squares of one.
Weights weights_at(const std::vector<double>& times, std::size_t first, std::size_t stride) {
  const double unit = times[first + (points - 1) * stride] - times[first];
  Weights out;
  double squares = 0;
  for (std::size_t i = 0; i < points; ++i) {
    double product = 1;
    for (std::size_t j = 0; j < points; ++j) {
      if (j != i) product *= (times[first + i * stride] - times[first + j * stride]) / unit;
    }
    out[i] = 1 / product;
    squares += out[i] * out[i];
  }
  for (double& weight : out) weight /= std::sqrt(squares);
  return out;
}

struct Values {
  double count = 0, mean = 0, squares = 0, largest = 0;  // squares: sum of (value - mean)^2
  void add(double value) {
    count += 1;
    const double before = value - mean;
    mean += before / count;
    squares += before * (value - mean);
    largest = std::max(largest, std::abs(value));
  }
  double deviation() const { return count > 0 ? std::sqrt(squares / count) : 0; }
};

struct FourthDifferences {
  double count = 0, squares = 0;
  std::vector<float> sizes;
  void add(double difference) {
    count += 1;
    squares += difference * difference;
    sizes.push_back(static_cast<float>(std::abs(difference)));
  }
  double rms() const { return count > 0 ? std::sqrt(squares / count) : 0; }
  double by_median() {
    constexpr double of_normal = 0.6745;  // median of |x| where x is normal with deviation 1
    if (sizes.empty()) return 0;
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    return static_cast<double>(*middle) / of_normal;
  }
};

struct OfChannel {
  Values values;
  std::array<FourthDifferences, strides> differences;

  ChannelNoise noise() {
    constexpr double agreement = 1.5;
    ChannelNoise out{0, values.deviation()};
    const double near = differences[0].rms(), far = differences[1].rms(), usual = differences[0].by_median();
    const auto agree = [](double a, double b) { return std::max(a, b) <= agreement * std::min(a, b); };
    const double rounding = std::ldexp(values.largest, -22);
    if (near > rounding && agree(near, far) && agree(near, usual)) out.deviation = near;
    return out;
  }
};

// `frames` are whole frames, one for each time.
void add_frames(std::span<const float> frames, const std::vector<double>& times,
                std::vector<OfChannel>& channels) {
  constexpr std::size_t most_cells = 8192;
  const std::size_t size = frames.size() / times.size(), cells = size / channels.size();
  const std::size_t step = std::max<std::size_t>(1, cells / most_cells);
  for (std::size_t cell = 0; cell < cells; cell += step) {
    for (std::size_t c = 0; c < channels.size(); ++c) {
      const auto at = [&](std::size_t frame) {
        return static_cast<double>(frames[frame * size + cell * channels.size() + c]);
      };
      for (std::size_t frame = 0; frame < times.size(); ++frame) {
        if (std::isfinite(at(frame))) channels[c].values.add(at(frame));
      }
    }
  }
  for (std::size_t stride = 1; stride <= strides; ++stride) {
    for (std::size_t first = 0; first + (points - 1) * stride < times.size(); ++first) {
      const Weights weights = weights_at(times, first, stride);
      for (std::size_t cell = 0; cell < cells; cell += step) {
        for (std::size_t c = 0; c < channels.size(); ++c) {
          double difference = 0;
          for (std::size_t p = 0; p < points; ++p) {
            const std::size_t frame = first + p * stride;
            difference += weights[p] * static_cast<double>(frames[frame * size + cell * channels.size() + c]);
          }
          if (std::isfinite(difference)) channels[c].differences[stride - 1].add(difference);
        }
      }
    }
  }
}

}  // namespace

std::vector<ChannelNoise> noise(const Source& source, const std::vector<std::size_t>& samples) {
  constexpr std::size_t most_samples = 16, most_values = std::size_t{1} << 17;  // in a sample
  constexpr std::size_t fewest_frames = strides * (points - 1) + 1;
  const Description& d = source.description();
  const std::size_t size = d.frame_size();
  std::vector<OfChannel> channels(d.state.count(Role::state));
  const std::size_t step = std::max<std::size_t>(1, samples.size() / most_samples);
  std::vector<float> frames;
  for (std::size_t n = 0; n < samples.size(); n += step) {
    interrupt::throw_if_requested("the file was only looked at");
    const std::size_t all = d.frames[samples[n]];
    if (all < fewest_frames) continue;
    const std::size_t count = std::min(all, std::max(fewest_frames, most_values / size));
    // From early to late: trajectories may come to rest.
    const std::size_t first = (all - count) * (2 * n + 1) / (2 * samples.size());
    frames.resize(count * size);
    source.read(samples[n], first, count, frames);
    auto times = source.times(samples[n]);
    times = {times.begin() + static_cast<std::ptrdiff_t>(first),
             times.begin() + static_cast<std::ptrdiff_t>(first + count)};
    add_frames(frames, times, channels);
  }
  std::vector<ChannelNoise> out;
  for (auto& channel : channels) out.push_back(channel.noise());
  return out;
}

}  // namespace cvf::data
