#include <gtest/gtest.h>

#include "core/state_spec.hpp"

namespace cvf {
namespace {

TEST(BoundaryText, OneWordIsForAllSides) {
  const auto b = parse_boundary("periodic");
  ASSERT_TRUE(b);
  for (const char* axis : {"z", "y", "x"})
    EXPECT_EQ(b->along(axis), (AxisBoundary{Boundary::periodic, Boundary::periodic})) << axis;
}

TEST(BoundaryText, AxesAndSidesMayDiffer) {
  const auto b = parse_boundary("x: wall/outflow, y:periodic");
  ASSERT_TRUE(b);
  EXPECT_EQ(b->along("y"), (AxisBoundary{Boundary::periodic, Boundary::periodic}));
  EXPECT_EQ(b->along("x"), (AxisBoundary{Boundary::wall, Boundary::outflow}));
}

TEST(BoundaryText, AnAxisThatIsNotNamedIsUnknown) {
  EXPECT_EQ(parse_boundary("x: wall")->along("y").low, Boundary::unknown);
  EXPECT_EQ(parse_boundary("none")->along("y").low, Boundary::unknown);
}

TEST(BoundaryText, RefusesWordsItDoesNotKnowAndHalfPeriodicAxes) {
  for (const char* text : {"", "robin", "w: wall", "y: wall, periodic", "x: periodic/wall", "x:", "wall/"})
    EXPECT_FALSE(parse_boundary(text)) << text;
}

TEST(BoundaryText, GoesBackToTheSameWords) {
  for (const char* text : {"periodic", "unknown", "wall/outflow", "y: wall, x: periodic",
                           "y: wall/outflow, x: zero_flux", "z: wall, y: wall, x: periodic"})
    EXPECT_EQ(to_text(*parse_boundary(text)), text);
}

}  // namespace
}  // namespace cvf
