#include "systems/forcing.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/errors.hpp"
#include "core/random.hpp"

namespace cvf::systems {
namespace {

using Kind = Forcing::Kind;
constexpr std::array<std::pair<std::string_view, Kind>, 5> kinds{{{"none", Kind::none},
                                                                  {"sine", Kind::sine},
                                                                  {"steps", Kind::steps},
                                                                  {"chirp", Kind::chirp},
                                                                  {"noise", Kind::noise}}};

// amplitude sin(phase + first t), or with a frequency that goes from the first to the last evenly.
std::vector<float> wave(std::span<const double> times, double amplitude, double first, double last,
                        double phase) {
  const double growth = times.back() > 0 ? (last - first) / (2 * times.back()) : 0;
  std::vector<float> out;
  for (const double t : times)
    out.push_back(static_cast<float>(amplitude * std::sin(phase + (first + growth * t) * t)));
  return out;
}

// The frames that get a value of their own: the first, each that is `interval` later than the one before, and
// the last.
std::vector<std::size_t> knots(std::span<const double> times, double interval) {
  const double slack = 1e-9 * interval;  // 0.1 * 30 may be less than 3
  std::vector<std::size_t> out{0};
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] - times[out.back()] >= interval - slack || i + 1 == times.size()) out.push_back(i);
  }
  return out;
}

std::vector<float> random_values(std::span<const double> times, double amplitude, double interval, bool hold,
                                 RandomStream& random) {
  const auto at = knots(times, interval);
  std::vector<double> values;
  for (std::size_t k = 0; k < at.size(); ++k) values.push_back(random.uniform(-amplitude, amplitude));
  std::vector<float> out(times.size(), static_cast<float>(values.front()));
  for (std::size_t k = 1; k < at.size(); ++k) {
    const double begin = times[at[k - 1]], end = times[at[k]];
    for (std::size_t i = at[k - 1]; i <= at[k]; ++i) {
      const double share = hold ? (i == at[k] ? 1 : 0) : (times[i] - begin) / (end - begin);
      out[i] = static_cast<float>(values[k - 1] + share * (values[k] - values[k - 1]));
    }
  }
  return out;
}

}  // namespace

void Forcing::describe(config::Section& section, std::string_view control) {
  section.choice<Kind>(
      control, kind, kinds,
      "what drives it, known at the frames and linear in between. sine: random amplitude, "
      "frequency and phase. chirp: its frequency goes from one random value to another. steps: "
      "random levels, changed from one frame to the next. noise: linear between random values");
  section.key(fmt::format("{}_amplitude_range", control), &amplitude,
              "the amplitude is uniform in [low, high]; levels and noise are uniform within it",
              config::at_least(0));
  section.key(fmt::format("{}_frequency_range", control), &frequency,
              "angular frequencies of sine and chirp are uniform in [low, high]", config::at_least(0));
  section.key(fmt::format("{}_interval", control), &interval,
              "time between new levels of steps and new values of noise; 0: at every frame",
              config::at_least(0));
}

void Forcing::check(std::string_view system, std::string_view control) const {
  for (const auto& [name, range] : {std::pair{"amplitude", &amplitude}, {"frequency", &frequency}}) {
    if (range->size() != 2 || !((*range)[0] <= (*range)[1]))
      throw ConfigError("{}: {}_{}_range must be two numbers, [low, high]", system, control, name);
  }
}

Forcing::Values Forcing::at(std::string_view system, const Draw& draw, std::span<const double> times) const {
  std::vector<double> from_zero(times.begin(), times.end());
  if (from_zero.empty() || from_zero.front() > 0) from_zero.insert(from_zero.begin(), 0.0);
  auto all = values(system, draw, from_zero);
  const float start = all.front();
  all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(times.size()));
  return {start, std::move(all)};
}

std::vector<float> Forcing::values(std::string_view system, const Draw& draw,
                                   std::span<const double> times) const {
  RandomStream random(draw.seed, fmt::format("{} forcing attempt {}", system, draw.attempt), draw.sample);
  const double size = random.uniform(amplitude[0], amplitude[1]);
  const double first = random.uniform(frequency[0], frequency[1]);
  const double last = random.uniform(frequency[0], frequency[1]);
  const double phase = random.uniform(0, 2 * std::numbers::pi);
  if (kind == Kind::sine) return wave(times, size, first, first, phase);
  if (kind == Kind::chirp) return wave(times, size, first, last, phase);
  return random_values(times, size, interval, kind == Kind::steps, random);
}

}  // namespace cvf::systems
