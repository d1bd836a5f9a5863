#include <gtest/gtest.h>

#include <cmath>

#include "core/errors.hpp"
#include "report/image.hpp"
#include "report/sample_picture.hpp"
#include "support/memory_source.hpp"

namespace cvf::report {
namespace {

double brightness(Colour c) {
  return 0.2126 * std::pow(c.r / 255.0, 2.2) + 0.7152 * std::pow(c.g / 255.0, 2.2) +
         0.0722 * std::pow(c.b / 255.0, 2.2);
}

TEST(ColourMap, TheSequentialMapOnlyGetsLighter) {
  for (int i = 1; i < 256; ++i) {
    EXPECT_GT(brightness(colour_of(Palette::sequential, i / 255.0)) + 2e-3,
              brightness(colour_of(Palette::sequential, (i - 1) / 255.0)))
        << i;
  }
  EXPECT_LT(brightness(colour_of(Palette::sequential, 0)), 0.05);
  EXPECT_GT(brightness(colour_of(Palette::sequential, 1)), 0.75);
}

TEST(ColourMap, TheDivergingMapIsLightestAtZero) {
  const Scale scale = scale_for(-1, 3);
  EXPECT_EQ(scale.low, -3);
  EXPECT_EQ(scale.palette, Palette::diverging);
  for (const double value : {-3.0, -1.5, 1.5, 3.0})
    EXPECT_LT(brightness(scale.colour(value)), brightness(scale.colour(0)));
  EXPECT_NE(scale.colour(-2), scale.colour(2));
}

TEST(ColourMap, PositiveDataAndConstantsStaySequential) {
  EXPECT_EQ(scale_for(1, 2).palette, Palette::sequential);
  EXPECT_EQ(scale_for(-0.001, 2).palette, Palette::sequential);
  EXPECT_EQ(scale_for(5, 5).colour(5), colour_of(Palette::sequential, 0.5));
  EXPECT_EQ(scale_for(0, 1).colour(NAN), magenta);
}

data::Source const& square() {
  static const testing_support::MemorySource source({4}, 3, 5, {"u"}, [](auto, auto frame, auto index) {
    return static_cast<float>(frame == 0 ? index
                                         : 0);  // frame 0 rises from left to right and from bottom to top
  });
  return source;
}

TEST(Picture, DrawsYUpwardsAndMarksTheRange) {
  const Image image = picture_of(square(), 0, {.frames = {0}, .columns = 1, .panel = 50});
  // Panel of 5 x 3 cells, 10 pixels each, upper left corner at (12, 26).
  const Scale scale = scale_for(0, 14);
  EXPECT_EQ(image.at(12 + 5, 26 + 25), scale.colour(0));
  EXPECT_EQ(image.at(12 + 45, 26 + 25), scale.colour(4));
  EXPECT_EQ(image.at(12 + 45, 26 + 5), scale.colour(14));
}

TEST(Picture, IsAPngForEveryKindOfState) {
  const auto value = [](auto, auto frame, auto index) {
    return static_cast<float>(frame) + static_cast<float>(index);
  };
  const testing_support::MemorySource line({5}, 1, 16, {"u"}, value), vector({5}, 1, 1, {"x", "v"}, value);
  for (const data::Source* source :
       {&square(), static_cast<const data::Source*>(&line), static_cast<const data::Source*>(&vector)}) {
    const std::string png = picture_of(*source, 0).png();
    EXPECT_EQ(png.substr(1, 3), "PNG");
    EXPECT_GT(png.size(), 300U);
  }
}

TEST(Picture, AMissingSampleOrFrameIsNamed) {
  EXPECT_THROW(picture_of(square(), 1), UsageError);
  EXPECT_THROW(picture_of(square(), 0, {.frames = {4}}), UsageError);
}

}  // namespace
}  // namespace cvf::report
