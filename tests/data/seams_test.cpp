// Whether the two sides of a grid continue each other, from its values alone.
#include "data/seams.hpp"

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

// The seam of a line with this value at place x = 0 .. 1 in sample n.
Seam seam_of(const std::function<double(double x, double n)>& value) {
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
  return seams(*source, all).at(0);
}

TEST(Seams, CloseWhereWholeWavesFit) {
  const auto seam = seam_of(
      [](double x, double n) { return 3 + std::sin(turn * x + n) + 0.5 * std::cos(2 * turn * x + 2 * n); });
  EXPECT_TRUE(seam.closes());
  EXPECT_NEAR(seam.across / seam.beside, 1, 0.2);
}

TEST(Seams, StayOpenWhereTheSidesDiffer) {
  EXPECT_FALSE(seam_of([](double x, double n) { return std::sin(0.7 * turn * x + n); }).closes());
  EXPECT_FALSE(seam_of([](double x, double n) { return x + 0.1 * std::sin(turn * x + n); }).closes());
  // No flux through the sides of cells that lie half a cell inside: a cosine series.
  EXPECT_FALSE(seam_of([](double x, double n) {
                 const double at = turn / 2 * (x + 0.5 / cells);
                 return std::sin(n) * std::cos(at) + std::cos(2 * n) * std::cos(2 * at);
               }).closes());
}

TEST(Seams, StayOpenWhereNothingCanBeTold) {
  std::mt19937 noise(1);
  EXPECT_FALSE(seam_of([&](double, double) { return std::normal_distribution<>()(noise); }).closes())
      << "rough";
  EXPECT_FALSE(seam_of([](double x, double n) { return std::sin(turn / 2 * x) * std::sin(n); }).closes())
      << "equal sides, as walls at 0 have them, meet in a kink";
  EXPECT_FALSE(seam_of([](double x, double n) { return std::exp(-200 * std::pow(x - 0.5, 2)) * n; }).closes())
      << "nothing happens at the sides";
  EXPECT_FALSE(seam_of([](double, double) { return 2; }).closes()) << "the same everywhere";
}

}  // namespace
}  // namespace cvf::data
