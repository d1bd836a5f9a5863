#include <cmath>
#include <memory>
#include <vector>

#include "core/errors.hpp"
#include "data/source.hpp"
#include "data/splits.hpp"
#include "generate/generate.hpp"
#include "study/tables.hpp"

namespace cvf::study {
namespace {

// The system that made the file, by what the file says.
std::unique_ptr<systems::System> maker_of(const data::Description& d) {
  const auto config = d.attributes.find("config");
  if (config == d.attributes.end()) return nullptr;
  generate::Options options;
  config::Document::from_text(config->second, d.file).read([&](config::Section& s) { options.describe(s); });
  return generate::system_of(options);
}

// A frame [y][x][c] of floats as planes [c][y][x] of doubles.
std::vector<double> planes_of(const data::Description& d, const std::vector<float>& frame) {
  const std::size_t channels = d.state.count(Role::state), cells = frame.size() / channels;
  std::vector<double> out(frame.size());
  for (std::size_t i = 0; i < cells; ++i) {
    for (std::size_t c = 0; c < channels; ++c)
      out[c * cells + i] = static_cast<double>(frame[i * channels + c]);
  }
  return out;
}

// One step of length h along the exact secant over `span`. False: the system has no flow.
bool step(const systems::System& system, std::vector<double>& state, double h, double span) {
  const double times[] = {span};
  std::vector<double> end;
  const bool able = system.flow(state, times, [&](std::size_t, std::span<const double> planes) {
    end.assign(planes.begin(), planes.end());
  });
  if (!able) return false;
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += h / span * (end[i] - state[i]);
  return true;
}

struct Sum {
  double squares = 0;
  std::size_t frames = 0;
};

// Adds the mean square error of every frame of one sample.
bool roll_out(const systems::System& system, const data::Source& source, std::size_t sample, int factor,
              Sum& sum) {
  const auto& d = source.description();
  const auto times = source.times(sample);
  std::vector<float> frame(d.frame_size());
  source.read(sample, 0, 1, frame);
  std::vector<double> state = planes_of(d, frame);
  for (std::size_t k = 1; k < times.size(); ++k) {
    const double h = times[k] - times[k - 1];
    if (!step(system, state, h, h * factor)) return false;
    source.read(sample, k, 1, frame);
    const auto truth = planes_of(d, frame);
    double squares = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) squares += (state[i] - truth[i]) * (state[i] - truth[i]);
    sum.squares += squares / static_cast<double>(truth.size());
    ++sum.frames;
  }
  return true;
}

}  // namespace

std::optional<double> secant_floor(const FloorProblem& problem) {
  const auto source = data::open(problem.data_file, {});
  const auto system = maker_of(source->description());
  if (!system) return std::nullopt;
  auto samples = data::parse_ranges(problem.test, source->description().samples, "split.test");
  samples.resize(std::min(samples.size(), static_cast<std::size_t>(problem.samples)));
  Sum sum;
  for (const auto sample : samples) {
    if (!roll_out(*system, *source, sample, problem.factor, sum)) return std::nullopt;
  }
  if (sum.frames == 0) return std::nullopt;
  return std::sqrt(sum.squares / static_cast<double>(sum.frames));
}

}  // namespace cvf::study
