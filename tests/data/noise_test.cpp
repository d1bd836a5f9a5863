// Measurement noise, from the values of a file alone.
#include "data/noise.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>

#include "support/memory_source.hpp"

namespace cvf::data {
namespace {

using testing_support::MemorySource;

constexpr std::size_t frame_count = 400;

// One trajectory of one channel with this value at each frame, at these times.
ChannelNoise noise_of(const std::vector<double>& values, const std::vector<double>& times) {
  MemorySource source({values.size()}, 1, 1, {"u"}, [&](std::size_t, std::size_t frame, std::size_t) {
    return static_cast<float>(values[frame]);
  });
  source.time = [&](std::size_t, std::size_t frame) { return times[frame]; };
  return noise(source, {0}).at(0);
}

std::vector<double> even_times() {
  std::vector<double> out;
  for (std::size_t i = 0; i < frame_count; ++i) out.push_back(0.1 * static_cast<double>(i));
  return out;
}

// Gaps between a tenth of the mean one and nearly twice as long.
std::vector<double> uneven_times() {
  std::mt19937 random(5);
  std::uniform_real_distribution<> gap(0.01, 0.19);
  std::vector<double> out{0};
  while (out.size() < frame_count) out.push_back(out.back() + gap(random));
  return out;
}

std::vector<double> at(const std::vector<double>& times, const std::function<double(double)>& value,
                       double sigma = 0) {
  std::mt19937 random(7);
  std::normal_distribution<> normal;
  std::vector<double> out;
  for (const double t : times) out.push_back(value(t) + sigma * normal(random));
  return out;
}

double sine(double t) {
  return 3 + std::sin(t);
}

TEST(Noise, OfKnownSizeOnASmoothSignalIsFound) {
  // The variance of a mean square of n differences is 2 / n times the sum of their squared correlations,
  // (70^2 + 2 (56^2 + 28^2 + 8^2 + 1)) / 70^2 = 2.63, and the root halves the relative deviation.
  const double most = 4 * std::sqrt(2 * 2.63 / static_cast<double>(frame_count)) / 2;
  for (const auto& times : {even_times(), uneven_times()}) {
    for (const double sigma : {0.01, 0.05, 0.3}) {
      const auto found = noise_of(at(times, sine, sigma), times);
      EXPECT_NEAR(found.deviation / sigma, 1, most) << sigma;
      EXPECT_NEAR(found.spread, std::sqrt(0.5 + sigma * sigma), 0.1);
      EXPECT_EQ(found.fraction(), found.deviation / found.spread);
    }
  }
}

TEST(Noise, IsFoundExactlyOnACubicWhateverTheTimes) {
  const auto cubic = [](double t) { return 1 + t - 0.5 * t * t + 0.01 * t * t * t; };
  const auto nothing = [](double) { return 0.0; };
  for (const auto& times : {even_times(), uneven_times()}) {
    const double alone = noise_of(at(times, nothing, 1), times).deviation;
    EXPECT_GT(alone, 0);
    EXPECT_NEAR(noise_of(at(times, cubic, 1), times).deviation, alone, 1e-3 * alone);
  }
}

TEST(Noise, IsNotFoundInASmoothSignal) {
  for (const auto& times : {even_times(), uneven_times()}) {
    EXPECT_EQ(noise_of(at(times, sine), times).deviation, 0);
    EXPECT_EQ(noise_of(at(times, [](double t) { return std::exp(-t) * std::cos(3 * t); }), times).deviation,
              0);
    EXPECT_EQ(noise_of(at(times, [](double) { return 2.0; }), times).deviation, 0) << "constant";
    EXPECT_EQ(noise_of(at(times, [](double t) { return 1e5 + 1e-3 * t; }), times).deviation, 0)
        << "the rounding of float32 is none";
  }
}

// Lorenz's system by Runge-Kutta, a hundred frames a turn.
TEST(Noise, IsNotFoundInChaosThatIsSampledWell) {
  std::array<double, 3> s{1, 1, 20};
  const auto slope = [](const std::array<double, 3>& u) {
    return std::array<double, 3>{10 * (u[1] - u[0]), u[0] * (28 - u[2]) - u[1], u[0] * u[1] - 8.0 / 3 * u[2]};
  };
  const auto moved = [](const std::array<double, 3>& u, const std::array<double, 3>& k, double h) {
    return std::array<double, 3>{u[0] + h * k[0], u[1] + h * k[1], u[2] + h * k[2]};
  };
  constexpr double dt = 0.0075;
  std::array<std::vector<double>, 3> values;
  std::vector<double> times;
  for (int i = 0; i < 1000; ++i) {
    times.push_back(dt * i);
    for (std::size_t c = 0; c < 3; ++c) values[c].push_back(s[c]);
    const auto k1 = slope(s), k2 = slope(moved(s, k1, dt / 2)), k3 = slope(moved(s, k2, dt / 2)),
               k4 = slope(moved(s, k3, dt));
    for (std::size_t c = 0; c < 3; ++c) s[c] += dt / 6 * (k1[c] + 2 * k2[c] + 2 * k3[c] + k4[c]);
  }
  for (const auto& channel : values) EXPECT_EQ(noise_of(channel, times).deviation, 0);
}

TEST(Noise, IsNoShockThatPassesNowAndThen) {
  const auto times = even_times();
  const auto square = [](double t) { return std::sin(t) > 0 ? 1.0 : -1.0; };
  EXPECT_EQ(noise_of(at(times, square), times).deviation, 0);
}

TEST(Noise, IsOfItsChannelOnAGridAndOfSamplesLongEnough) {
  std::mt19937 random(3);
  std::normal_distribution<> normal;
  const auto value = [&](std::size_t, std::size_t frame, std::size_t index) {
    const double smooth = std::sin(0.1 * static_cast<double>(frame) + 0.3 * static_cast<double>(index / 2));
    return static_cast<float>(smooth + (index % 2 == 1 ? 0.2 * normal(random) : 0));
  };
  const auto even = [](std::size_t, std::size_t frame) { return static_cast<double>(frame); };
  MemorySource grid({12, 12, 12}, 8, 8, {"clean", "noisy"}, value);
  grid.time = even;
  const auto found = noise(grid, {0, 1, 2});
  EXPECT_EQ(found.at(0).deviation, 0);
  EXPECT_NEAR(found.at(1).deviation, 0.2, 0.02);
  MemorySource brief({8, 8}, 8, 8, {"clean", "noisy"}, value);
  brief.time = even;
  EXPECT_EQ(noise(brief, {0, 1}).at(1).deviation, 0) << "eight frames do not tell";
}

}  // namespace
}  // namespace cvf::data
