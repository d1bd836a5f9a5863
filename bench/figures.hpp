// Figures with a bar to reach. Timings live here and never in the tests: a busy machine must not fail a
// build.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace cvf::bench {

struct Figure {
  std::string name;  // "diffusion_reaction 128x128, 101 frames: speed-up over PDEBench's simulator"
  double value;
  std::string unit;  // "x", "ns/cell-step", "GB/s"
  double bar;        // what we promised; 0 = no promise
  bool higher_is_better;
  std::string note;  // how it was measured
};

using Figures = std::vector<Figure>;

/// Wall-clock seconds of one call.
template <class Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Median seconds of `repeats` calls after one unmeasured call.
template <class Work>
double median_seconds(int repeats, Work&& work) {
  work();
  std::vector<double> all;
  for (int i = 0; i < repeats; ++i) all.push_back(seconds(work));
  return median(all);
}

}  // namespace cvf::bench
