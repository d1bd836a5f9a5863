// How fine states are on their grid, and how long a step takes.
#include "train/resolution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/memory_source.hpp"
#include "support/training.hpp"

namespace cvf::train {
namespace {

using testing_support::MemorySource;

constexpr std::size_t cells = 32;

// Of a square grid with this value at the middles of its cells, x and y in 0 .. pi.
double unresolved(int patch, const std::function<double(double x, double y)>& value) {
  const MemorySource source({2, 2, 2}, cells, cells, {"u"}, [&](auto, auto, std::size_t i) {
    const auto at = [](std::size_t cell) {
      return std::acos(-1.0) * (static_cast<double>(cell) + 0.5) / static_cast<double>(cells);
    };
    return static_cast<float>(value(at(i % cells), at(i / cells)));
  });
  return unresolved_energy(source, {0, 1, 2}, patch);
}

TEST(Resolution, OfOneWaveIsAllOrNothing) {
  const auto wave = [](double x, double) { return 5 + std::cos(6 * x); };  // of 10.7 cells
  EXPECT_NEAR(unresolved(1, wave), 0, 1e-9);
  EXPECT_NEAR(unresolved(4, wave), 0, 1e-9) << "waves of eight cells and longer";
  EXPECT_NEAR(unresolved(8, wave), 1, 1e-9) << "waves of sixteen cells and longer";
  EXPECT_NEAR(unresolved(8, [](double, double y) { return std::cos(6 * y); }), 1, 1e-9);
}

TEST(Resolution, IsAShareOfTheEnergy) {
  const auto waves = [](double x, double y) {
    return std::sqrt(3.0) * std::cos(2 * x) * std::cos(y) + std::cos(2 * x) * std::cos(12 * y);
  };
  EXPECT_NEAR(unresolved(2, waves), 0, 1e-9);
  EXPECT_NEAR(unresolved(4, waves), 0.25, 1e-6);
}

TEST(Resolution, IsNotMissingWhereASmoothStateIsNotPeriodic) {
  EXPECT_LT(unresolved(4, [](double x, double y) { return x + 2 * y; }), 1e-3);
  EXPECT_EQ(unresolved(4, [](double, double) { return 3; }), 0) << "constant";
}

TEST(Resolution, IsThatOfMostFramesWhereTheFirstIsRough) {
  const MemorySource source({9, 9}, 1, cells, {"u"}, [](auto, std::size_t frame, std::size_t i) {
    const double x = std::acos(-1.0) * (static_cast<double>(i) + 0.5) / static_cast<double>(cells);
    return static_cast<float>(std::cos(2 * x) + (frame == 0 ? 9 * std::cos(31 * x) : 0));
  });
  EXPECT_NEAR(unresolved_energy(source, {0, 1}, 2), 0, 1e-9);
}

TEST(StepSeconds, AreMeasuredAndChangeNothing) {
  const testing_support::Scratch scratch;
  auto options = testing_support::options_of(testing_support::tiny_run(scratch.path("data.h5")));
  const auto run_data = prepare(options);
  const std::string before = options.to_toml();
  EXPECT_GT(measured_step(options, run_data), 0);
  EXPECT_EQ(options.to_toml(), before);
  EXPECT_EQ(run_data.splits.train.size(), 8U);
}

}  // namespace
}  // namespace cvf::train
