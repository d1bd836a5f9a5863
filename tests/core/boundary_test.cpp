#include "core/boundary.hpp"

#include <gtest/gtest.h>

namespace cvf {
namespace {

TEST(BoundaryText, OneWordIsForAllSides) {
  const auto b = parse_boundary("periodic");
  ASSERT_TRUE(b);
  EXPECT_EQ(
      *b, (GridBoundary{{Boundary::periodic, Boundary::periodic}, {Boundary::periodic, Boundary::periodic}}));
}

TEST(BoundaryText, AxesAndSidesMayDiffer) {
  const auto b = parse_boundary("x: wall/outflow, y:periodic");
  ASSERT_TRUE(b);
  EXPECT_EQ(b->y, (AxisBoundary{Boundary::periodic, Boundary::periodic}));
  EXPECT_EQ(b->x, (AxisBoundary{Boundary::wall, Boundary::outflow}));
}

TEST(BoundaryText, AnAxisThatIsNotNamedIsUnknown) {
  EXPECT_EQ(parse_boundary("x: wall")->y.low, Boundary::unknown);
  EXPECT_EQ(parse_boundary("none")->y.low, Boundary::unknown);
}

TEST(BoundaryText, RefusesWordsItDoesNotKnowAndHalfPeriodicAxes) {
  for (const char* text : {"", "robin", "z: wall", "y: wall, periodic", "x: periodic/wall", "x:", "wall/"})
    EXPECT_FALSE(parse_boundary(text)) << text;
}

TEST(BoundaryText, GoesBackToTheSameWords) {
  for (const char* text :
       {"periodic", "unknown", "wall/outflow", "y: wall, x: periodic", "y: wall/outflow, x: zero_flux"})
    EXPECT_EQ(to_text(*parse_boundary(text)), text);
}

}  // namespace
}  // namespace cvf
