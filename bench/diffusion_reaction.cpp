// One sample of the public diffusion-reaction data, on one core, against the 1.5 CPU seconds of the simulator
// that made them (SciPy's RK45 at its default tolerance: 1.52 to 1.54 s on a core like ours).
#include "systems/diffusion_reaction.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ctime>

#include "figures.hpp"

namespace cvf::bench {
namespace {

using systems::DiffusionReaction;

constexpr double public_simulator_seconds = 1.5;
using Frames = std::vector<std::vector<double>>;

Frames frames_of(const DiffusionReaction& system, std::span<const double> times) {
  Frames out;
  system.simulate({}, times, [&](std::size_t, std::span<const double> planes) {
    out.emplace_back(planes.begin(), planes.end());
  });
  return out;
}

double cpu_now() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Median CPU seconds of `repeats` calls after one unmeasured call.
template <class Work>
double median_cpu_seconds(int repeats, Work&& work) {
  work();
  std::vector<double> all;
  for (int i = 0; i < repeats; ++i) {
    const double start = cpu_now();
    work();
    all.push_back(cpu_now() - start);
  }
  return median(all);
}

double worst_rms(const Frames& some, const Frames& exact) {
  double worst = 0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < some[i].size(); ++j) sum += std::pow(some[i][j] - exact[i][j], 2);
    worst = std::max(worst, std::sqrt(sum / static_cast<double>(some[i].size())));
  }
  return worst;
}

}  // namespace

Figures diffusion_reaction() {
  const systems::GridSize grid{128, 128};
  std::vector<double> times;
  for (int i = 0; i <= 100; ++i) times.push_back(0.05 * i);

  const DiffusionReaction system(grid, {});
  DiffusionReaction::Options tight;
  tight.equation.rtol = tight.equation.atol = 1e-8;
  const double rms = worst_rms(frames_of(system, times), frames_of(DiffusionReaction(grid, tight), times));

  systems::Scalars scalars;
  double first_values = 0;  // keeps the frames from being optimised away
  const auto sink = [&](std::size_t, std::span<const double> planes) { first_values += planes[0]; };
  const double took = median_cpu_seconds(25, [&] { scalars = system.simulate({}, times, sink); });
  const auto note = fmt::format(
      "one thread, CPU time, median of 25, initial state and 101 frames included; {} evaluations, "
      "rms <= {:.1e} against tolerance 1e-8",
      scalars[2].second, rms);
  return {
      {"128x128, 101 frames: speed-up over the public simulator", public_simulator_seconds / took, "x", 20,
       true, note},
      {"128x128, 101 frames: time of a sample", 1e3 * took, "ms", 75, false, note},
      {"128x128, 101 frames: worst rms error of a frame", rms, "", 5e-5, false, "against tolerance 1e-8"}};
}

}  // namespace cvf::bench
