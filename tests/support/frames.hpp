// Runs a system and keeps its frames.
#pragma once

#include <cmath>
#include <vector>

#include "systems/system.hpp"

namespace cvf::tests {

using Frames = std::vector<std::vector<double>>;

inline std::vector<double> even_times(int frames, double spacing) {
  std::vector<double> times;
  for (int i = 0; i < frames; ++i) times.push_back(i * spacing);
  return times;
}

/// A sink that appends to `frames`.
inline systems::FrameSink into(Frames& frames) {
  return [&frames](std::size_t, std::span<const double> planes) {
    frames.emplace_back(planes.begin(), planes.end());
  };
}

inline Frames simulate(const systems::System& system, const systems::Draw& draw,
                       const std::vector<double>& times) {
  Frames frames;
  system.simulate(draw, times, into(frames));
  return frames;
}

inline double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

inline double rms_difference(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

inline double largest_difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace cvf::tests
