// The same physics in other units: each channel and the times scaled by powers of two, which changes no
// digit. Trained alike, the forecasts agree but for the scale.
#include <fmt/format.h>

#include <cmath>
#include <mutex>

#include "data/hdf5.hpp"
#include "data/source.hpp"
#include "torture/kinds/kinds.hpp"

namespace cvf::torture {
namespace {

using data::hdf5::Element;
using data::hdf5::Extents;
using data::hdf5::File;

constexpr std::size_t samples = 5, frames = 9, channels = 2;

struct Exponents {
  int channel[channels] = {0, 0}, time = 0;  // of two
};

// Oscillators of different phases and amplitudes.
void write_data(const Place& place, const Exponents& units) {
  std::vector<double> values, times;
  for (std::size_t n = 0; n < samples; ++n) {
    for (std::size_t k = 0; k < frames; ++k) {
      const double phase = 0.3 * static_cast<double>(k) + static_cast<double>(n),
                   amplitude = 1 + 0.25 * static_cast<double>(n);
      values.push_back(std::ldexp(static_cast<float>(amplitude * std::cos(phase)), units.channel[0]));
      values.push_back(std::ldexp(static_cast<float>(-amplitude * std::sin(phase)), units.channel[1]));
    }
  }
  for (std::size_t k = 0; k < frames; ++k)
    times.push_back(std::ldexp(0.25 * static_cast<double>(k), units.time));
  auto file = File::create(place.path("data.h5"));
  const Extents extents{samples, frames, channels};
  auto u = file.root().create_dataset("u", extents);
  u.write(Extents(extents.size(), 0), extents, values.data());
  u.set("axes", "n,t,c");
  file.root().write_array("t", times, {Element::float64});
  file.close();
}

// The forecast of the test sample, in the units of the unscaled file.
std::vector<double> forecast(const Exponents& units) {
  const Place place;
  write_data(place, units);
  place.write("run.toml", run_file("train.steps = 50"));
  for (const Words& command :
       {Words{"train", "run.toml", "--out", "run"},
        Words{"rollout", "run/last", "--data", "data.h5", "--samples", "4", "--out", "out.h5"}}) {
    const Ran ran = place.run(command);
    expect(ran.code == 0, fmt::format("cvf {} fails, {}", command.front(), words(ran)));
  }
  const auto source = data::open(place.path("out.h5"));
  std::vector<float> values(source->description().frames[0] * source->description().frame_size());
  source->read(0, 0, source->description().frames[0], values);
  std::vector<double> out;
  for (std::size_t i = 0; i < values.size(); ++i)
    out.push_back(std::ldexp(static_cast<double>(values[i]), -units.channel[i % channels]));
  return out;
}

const std::vector<double>& unscaled() {
  static std::once_flag once;
  static std::vector<double> values;
  std::call_once(once, [] { values = forecast({}); });
  return values;
}

void compare(RandomStream random) {
  const auto within = [&](int most) {
    return static_cast<int>(random.below(2 * static_cast<std::size_t>(most) + 1)) - most;
  };
  constexpr int most_of_states = 40, most_of_times = 30;
  constexpr double tolerance = 1e-5;
  Exponents units;
  for (int& exponent : units.channel) exponent = within(most_of_states);
  units.time = within(most_of_times);
  const auto& wanted = unscaled();
  const auto found = forecast(units);
  const std::string about = fmt::format("states times 2^{} and 2^{}, times by 2^{}", units.channel[0],
                                        units.channel[1], units.time);
  expect(found.size() == wanted.size(), about + ": another number of values");
  double largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double difference = std::abs(found[i] - wanted[i]);
    largest = std::max(largest, std::isfinite(difference) ? difference : HUGE_VAL);
  }
  expect(largest <= tolerance, fmt::format("{}: the forecast differs by {}", about, largest));
}

}  // namespace

void add_units(std::vector<Kind>& kinds) {
  kinds.push_back({"other-units", "the same data in other units, trained and forecast", heavy_cases,
                   [](std::size_t, RandomStream random) { compare(random); }});
}

}  // namespace cvf::torture
