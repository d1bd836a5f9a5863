// The small parts of a report: thinning, quantising, base64, means over blocks, the plane of principal
// components.
#include <gtest/gtest.h>

#include <cmath>

#include "report/json.hpp"
#include "report/movie.hpp"

namespace cvf::report {
namespace {

TEST(Thin, KeepsTheFirstAndTheLast) {
  EXPECT_EQ(spread(10, 4), (std::vector<std::size_t>{0, 3, 6, 9}));
  EXPECT_EQ(spread(3, 4), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(spread(5, 1), (std::vector<std::size_t>{4}));
  EXPECT_TRUE(spread(0, 4).empty());
}

TEST(Thin, RoundsToSixDigits) {
  EXPECT_EQ(brief(1.0 / 3).dump(), "0.333333");
  EXPECT_EQ(brief(1e-12 / 3).dump(), "3.33333e-13");
  EXPECT_EQ(brief(3.0).dump(), "3");
  EXPECT_EQ(brief(12345678.9).dump(), "12345700.0");
  EXPECT_TRUE(brief(NAN).is_null());
  EXPECT_TRUE(brief(INFINITY).is_null());
}

TEST(Quantise, SpellsBase64AsTheStandardDoes) {  // RFC 4648, section 10
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(Quantise, PutsChannelsApartAndMarksWhatIsMissing) {
  const Movie movie{1, 1, 3, 2, {0, 10, 1, 20, NAN, 99}};  // u: 0 1 nan, v: 10 20 99
  const std::vector<Range> ranges{{0, 1}, {10, 20}};
  EXPECT_EQ(quantised(movie, ranges), (std::string{0, char(254), char(255), 0, char(254), char(254)}));
}

TEST(Movie, CoarsensByMeansAlsoWhereBlocksAreCut) {
  const Movie movie{1, 2, 3, 1, {0, 2, 5, 2, 4, 7}};
  const Movie out = coarsened(movie, 2);
  EXPECT_EQ(out.rows, 1U);
  EXPECT_EQ(out.columns, 2U);
  EXPECT_EQ(out.values, (std::vector<float>{2, 6}));
  EXPECT_EQ(coarsened(movie, 3).values, movie.values);
}

TEST(Movie, MeasuresTheDifferenceFrameByFrame) {
  const Movie a{2, 1, 2, 1, {1, 1, NAN, 0}}, b{2, 1, 2, 1, {1, 3, 0, 0}};
  const auto sizes = rms(difference(a, b));
  EXPECT_NEAR(sizes[0], std::sqrt(2.0), 1e-12);
  EXPECT_TRUE(std::isnan(sizes[1]));
}

// States on an ellipse in a slanted plane of a space of many dimensions.
Movie ellipse(double wide, double high) {
  Movie movie{50, 1, 40, 1, {}};
  for (int t = 0; t < 50; ++t) {
    const double angle = 2 * M_PI * t / 50;
    for (int i = 0; i < 40; ++i) {
      const double first = i % 2 == 0 ? 1 / std::sqrt(20.0) : 0,
                   second = i % 2 == 1 ? 1 / std::sqrt(20.0) : 0;
      movie.values.push_back(
          static_cast<float>(5 + wide * std::cos(angle) * first + high * std::sin(angle) * second));
    }
  }
  return movie;
}

TEST(Projection, FindsThePlaneInWhichAnEllipseLies) {
  const Plane plane(ellipse(3, 1));
  EXPECT_NEAR(plane.explained()[0], 0.9, 1e-3);
  EXPECT_NEAR(plane.explained()[1], 0.1, 1e-3);
  for (const auto& [x, y] : plane.project(ellipse(3, 1))) EXPECT_NEAR(x * x / 9 + y * y, 1, 1e-3);
}

TEST(Projection, ACircleHasNoPreferredAxisAndIsStillFound) {
  const Plane plane(ellipse(2, 2));
  EXPECT_NEAR(plane.explained()[0] + plane.explained()[1], 1, 1e-3);
  for (const auto& [x, y] : plane.project(ellipse(2, 2))) EXPECT_NEAR(x * x + y * y, 4, 1e-2);
}

TEST(Projection, CopesWithConstantsGapsAndTooFewFrames) {
  EXPECT_EQ(Plane(ellipse(0, 0)).explained()[0], 0);
  Movie gap = ellipse(3, 1);
  gap.values[40 * 7] = NAN;
  const Plane plane(gap);
  EXPECT_GT(plane.explained()[0], 0.85);
  EXPECT_TRUE(std::isnan(plane.project(gap)[7][0]));
  EXPECT_EQ(Plane(Movie{1, 1, 2, 1, {1, 2}}).explained()[0], 0);
}

}  // namespace
}  // namespace cvf::report
