// The area shared by a disc and a rectangle, where geometry gives it.
#include "systems/disc.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace cvf::systems {
namespace {

using std::numbers::pi;

TEST(Disc, SharesQuartersHalvesAndSegments) {
  const Disc disc{0.3, -0.2, 0.5};
  EXPECT_NEAR(shared_area(disc, 0.3, 2, -0.2, 2), pi / 16, 1e-15);
  EXPECT_NEAR(shared_area(disc, 0.3, 2, -2, 2), pi / 8, 1e-15);
  EXPECT_NEAR(shared_area(disc, -3, 3, -3, 3), pi / 4, 1e-15);
  // Beyond a chord at half the radius: r^2 (pi/3 - sqrt(3)/4)
  EXPECT_NEAR(shared_area(disc, 0.55, 3, -3, 3), 0.25 * (pi / 3 - std::sqrt(3.0) / 4), 1e-15);
  EXPECT_NEAR(shared_area(disc, -3, 3, -3, -0.45), 0.25 * (pi / 3 - std::sqrt(3.0) / 4), 1e-15);
}

TEST(Disc, SharesAllOrNothing) {
  EXPECT_NEAR(shared_area({0, 0, 1}, 0.1, 0.3, -0.2, 0.5), 0.14, 1e-15);
  EXPECT_NEAR(shared_area({0, 0, 1}, 0.8, 0.9, 0.8, 0.9), 0, 1e-15);
  EXPECT_NEAR(shared_area({0, 0, 1}, 1.0, 1.5, -0.5, 0.5), 0, 1e-15);
}

// Strips across the cell, each cut at the circle: converges to the area without using its formula.
double by_strips(const Disc& disc, double x0, double x1, double y0, double y1) {
  const int strips = 20000;
  double area = 0;
  for (int n = 0; n < strips; ++n) {
    const double x = x0 + (n + 0.5) * (x1 - x0) / strips - disc.x;
    const double reach = x * x < disc.radius * disc.radius ? std::sqrt(disc.radius * disc.radius - x * x) : 0;
    const double high = std::fmin(y1, disc.y + reach), low = std::fmax(y0, disc.y - reach);
    area += std::fmax(0, high - low) * (x1 - x0) / strips;
  }
  return area;
}

TEST(Disc, AgreesWithStripsInEveryCell) {
  const Disc disc{0.03, 0.11, 0.52};
  for (int j = -4; j < 4; ++j) {
    for (int i = -4; i < 4; ++i) {
      const double x = 0.21 * i, y = 0.17 * j;
      EXPECT_NEAR(shared_area(disc, x, x + 0.21, y, y + 0.17), by_strips(disc, x, x + 0.21, y, y + 0.17),
                  1e-6);
    }
  }
}

}  // namespace
}  // namespace cvf::systems
