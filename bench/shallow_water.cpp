// Cost of one radial dam break, 101 frames of 128 x 128, on one core.
#include "systems/shallow_water.hpp"

#include "cpu_time.hpp"

namespace cvf::bench {
namespace {

using systems::ShallowWater;

double sample_seconds(ShallowWater::Preset preset) {
  ShallowWater::Options options;
  options.apply(preset);
  const ShallowWater system({128, 128}, options);
  std::vector<double> times;
  for (int frame = 0; frame <= 100; ++frame) times.push_back(0.01 * frame);
  double kept = 0;
  return median_cpu_seconds(9, [&] {
    system.simulate({.seed = 0, .sample = 3}, times,
                    [&](std::size_t, std::span<const double> planes) { kept += planes[0]; });
  });
}

}  // namespace

Figures shallow_water() {
  const std::string note = "median of 9, one thread's CPU time, initial state and frames included";
  const double published = sample_seconds(ShallowWater::Preset::pdebench);
  const double varied = sample_seconds(ShallowWater::Preset::varied);
  return {{"128x128, 101 frames, h: speed-up over 0.4 s of PyClaw's kernels", 0.4 / published, "x", 5, true,
           note},
          {"128x128, 101 frames, h", 1e3 * published, "ms/sample", 80, false, note},
          {"128x128, 101 frames, h, hu, hv", 1e3 * varied, "ms/sample", 80, false, note}};
}

}  // namespace cvf::bench
