// Curves and surfaces that must rise.
#include "metrics/isotonic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/errors.hpp"

namespace cvf::metrics {
namespace {

using Values = std::vector<double>;

TEST(Isotonic, PoolsNeighboursThatFall) {
  EXPECT_EQ(isotonic(Values{1, 3, 2, 4}, Values{1, 1, 1, 1}), (Values{1, 2.5, 2.5, 4}));
  EXPECT_EQ(isotonic(Values{1, 3, 2, 4}, Values{1, 3, 1, 1}), (Values{1, 2.75, 2.75, 4}));
  EXPECT_EQ(isotonic(Values{3, 2, 1}, Values{1, 1, 1}), (Values{2, 2, 2}));
  EXPECT_EQ(isotonic(Values{1, 1, 2}, Values{1, 1, 1}), (Values{1, 1, 2})) << "what rises stays";
}

TEST(Isotonic, LeavesARisingTableAsItIsAndMakesEveryOtherRise) {
  Values rising;
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 6; ++c) rising.push_back(2 * r + std::sqrt(c));
  }
  const Values ones(24, 1);
  const auto same = isotonic_table(rising, ones, 4, 6);
  for (std::size_t i = 0; i < 24; ++i) EXPECT_NEAR(same[i], rising[i], 1e-12);

  std::mt19937_64 random(5);
  std::normal_distribution<double> noise;
  for (int round = 0; round < 20; ++round) {
    Values table = rising, weights = ones;
    for (auto& value : table) value += 2 * noise(random);
    for (auto& weight : weights) weight = std::exp(noise(random));
    weights[7] = weights[20] = 0;
    const auto fit = isotonic_table(table, weights, 4, 6);
    double kept = 0, before = 0, weight = 0;
    for (std::size_t r = 0; r < 4; ++r) {
      for (std::size_t c = 0; c < 6; ++c) {
        const std::size_t i = r * 6 + c;
        if (r > 0) {
          EXPECT_GE(fit[i], fit[i - 6]);
        }
        if (c > 0) {
          EXPECT_GE(fit[i], fit[i - 1]);
        }
        kept += weights[i] * fit[i], before += weights[i] * table[i], weight += weights[i];
      }
    }
    EXPECT_NEAR(kept / weight, before / weight, 1e-4) << "least squares keep the weighted mean";
  }
}

// Two cells against one: no rising table is nearer than the one with all three equal.
TEST(Isotonic, IsTheNearestOne) {
  const auto fit = isotonic_table(Values{3, 0, 0, 9}, Values{1, 1, 1, 1}, 2, 2);
  EXPECT_NEAR(fit[0], 1, 1e-9);
  EXPECT_NEAR(fit[1], 1, 1e-9);
  EXPECT_NEAR(fit[2], 1, 1e-9);
  EXPECT_NEAR(fit[3], 9, 1e-9);
}

TEST(Isotonic, RefusesATableOfNothing) {
  EXPECT_THROW(isotonic_table(Values{1, 2}, Values{0, 0}, 1, 2), DataError);
  EXPECT_THROW(isotonic_table(Values{1, 2, 3}, Values{1, 1, 1}, 2, 2), DataError);
}

}  // namespace
}  // namespace cvf::metrics
