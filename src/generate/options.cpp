#include <cmath>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "core/registry.hpp"
#include "core/text.hpp"
#include "generate/generate.hpp"

namespace cvf::generate {

void Options::describe(config::Section& s) {
  s.key("name", &system, "which system", config::one_of(names(systems::registry())));
  describe_details(s);
}

void Options::describe_details(config::Section& s) {
  s.key("samples", &samples, "number of trajectories", config::between(1, 1e7));
  s.key("grid", &grid, "cells, as 64 or 64x96 (columns x rows; 64 for a line); empty = the system's own");
  s.key("frames", &frames, "frames of each sample, the first at time 0; 0 = the system's own",
        config::at_least(0));
  s.key("spacing", &spacing, "time between frames; 0 = the system's own", config::at_least(0));
  s.key("times", &times, "explicit output times, increasing from 0 on; replaces frames and spacing",
        config::at_least(0));
  s.key("jitter", &jitter, "irregular times: inner frames move by up to half of this share of the spacing",
        config::between(0, 0.99));
  s.key("seed", &seed, "root of all random draws", config::between(0, 4e9));
  s.key("gzip", &gzip, "compression level of the file; 0 = none", config::between(0, 9));
  const systems::Row& row = find(systems::registry(), system, "system");
  if (!settings) settings = row.settings();
  s.table("system", "options of the system itself",
          [this](config::Section& inner) { settings->describe(inner); });
}

std::size_t frames_of(const Options& options) {
  if (!options.times.empty()) return options.times.size();
  const int own = find(systems::registry(), options.system, "system").frames;
  return static_cast<std::size_t>(options.frames > 0 ? options.frames : own);
}

std::vector<double> times_of(const Options& options, std::size_t sample) {
  if (!options.times.empty()) {
    for (std::size_t i = 1; i < options.times.size(); ++i) {
      if (options.times[i] <= options.times[i - 1]) {
        throw ConfigError("times: {} follows {}; output times must increase", options.times[i],
                          options.times[i - 1]);
      }
    }
    if (!std::isfinite(options.times.back())) throw ConfigError("times: {} is no time", options.times.back());
    return options.times;
  }
  const auto frames = static_cast<int>(frames_of(options));
  const double spacing =
      options.spacing > 0 ? options.spacing : find(systems::registry(), options.system, "system").spacing;
  if (!std::isfinite(frames * spacing))
    throw ConfigError("spacing = {}: the last time is not finite", spacing);
  std::vector<double> out;
  RandomStream stream(static_cast<std::uint64_t>(options.seed), "generate.times", sample);
  for (int i = 0; i < frames; ++i) {
    const bool inner = i > 0 && i + 1 < frames;
    const double shift = inner && options.jitter > 0 ? options.jitter * stream.uniform(-0.5, 0.5) : 0;
    out.push_back((i + shift) * spacing);
  }
  return out;
}

}  // namespace cvf::generate
