// Whether a grid is periodic, from its values alone.
#include "data/periodicity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "core/files.hpp"
#include "support/archives.hpp"
#include "support/scratch.hpp"

namespace cvf::data {
namespace {

using testing_support::npy;
using testing_support::raw;
using testing_support::Scratch;

constexpr int cells = 32, samples = 20;
const double turn = 2 * std::acos(-1.0);

// Of a line with this value at place x = 0 .. 1 in sample n.
Periodicity of_line(const std::function<double(double x, double n)>& value) {
  const Scratch scratch;
  std::vector<float> values;
  for (int n = 0; n < samples; ++n) {
    for (int x = 0; x < cells; ++x) values.push_back(static_cast<float>(value(double(x) / cells, n)));
  }
  const auto file = scratch.path("line.npy");
  files::write_atomically(file, npy("<f4", fmt::format("({}, 1, {})", samples, cells), raw(values)));
  const auto source = open(file, {.dataset = "", .axes = "n,t,x", .dt = 1});
  std::vector<std::size_t> all(samples);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return periodicity(*source, all).at(0);
}

TEST(Periodicity, IsFoundWhereWholeWavesFit) {
  const auto found = of_line(
      [](double x, double n) { return 3 + std::sin(turn * x + n) + 0.5 * std::cos(2 * turn * x + 2 * n); });
  EXPECT_TRUE(found.found());
  EXPECT_NEAR(found.across / found.beside, 1, 0.2);
}

TEST(Periodicity, IsNotFoundWhereTheEndsDiffer) {
  EXPECT_FALSE(of_line([](double x, double n) { return std::sin(0.7 * turn * x + n); }).found());
  EXPECT_FALSE(of_line([](double x, double n) { return x + 0.1 * std::sin(turn * x + n); }).found());
  // No flux through the sides of cells that lie half a cell inside: a cosine series.
  EXPECT_FALSE(of_line([](double x, double n) {
                 const double at = turn / 2 * (x + 0.5 / cells);
                 return std::sin(n) * std::cos(at) + std::cos(2 * n) * std::cos(2 * at);
               }).found());
}

TEST(Periodicity, IsNotFoundWhereNothingCanBeTold) {
  std::mt19937 noise(1);
  EXPECT_FALSE(of_line([&](double, double) { return std::normal_distribution<>()(noise); }).found())
      << "rough";
  EXPECT_FALSE(of_line([](double x, double n) { return std::sin(turn / 2 * x) * std::sin(n); }).found())
      << "equal ends, as walls at 0 have them, meet in a kink";
  EXPECT_FALSE(of_line([](double x, double n) { return std::exp(-200 * std::pow(x - 0.5, 2)) * n; }).found())
      << "nothing happens at the ends";
  EXPECT_FALSE(of_line([](double, double) { return 2; }).found()) << "the same everywhere";
}

}  // namespace
}  // namespace cvf::data
