#include "core/skill.hpp"

#include <gtest/gtest.h>

namespace cvf {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Trained long enough, on clean frames that differ well.
RunFacts good() {
  return {.steps = 4000, .change = 0.2};
}

TEST(Skill, IsThereBelowBothBaselines) {
  EXPECT_EQ(lack_of_skill({0.3, 0.8, 1.0}, {.steps = 1}), "");
  EXPECT_EQ(lack_of_skill({0.3}, {.steps = 1}), "") << "no baseline is known";
  EXPECT_EQ(lack_of_skill({}, {.steps = 1}), "") << "nothing is known";
}

TEST(Skill, IsMissingAboveEitherOrWhereForecastsDiverge) {
  EXPECT_TRUE(lack_of_skill({0.9, 0.8, 1.0}, good())
                  .starts_with("this model is worse than persistence (0.8): its normalized error is 0.9. "));
  EXPECT_TRUE(
      lack_of_skill({1.5, 2.0, 1.0}, good()).starts_with("this model is worse than the mean state (1): "));
  EXPECT_TRUE(
      has(lack_of_skill({2.5, 2.0, 1.0}, good()), "worse than persistence (2) and the mean state (1)"));
  EXPECT_TRUE(has(lack_of_skill({1.0, 2.0, 1.0}, good()), "the mean state")) << "as good as it is no skill";
  SkillErrors diverged{.persistence = 0.8, .mean_state = 1, .diverged = true};
  EXPECT_TRUE(has(lack_of_skill(diverged, good()),
                  "worse than persistence (0.8) and the mean state (1): its forecasts diverge"));
}

TEST(Skill, NamesTheLikelyReasonAndTheNextThingToTry) {
  const SkillErrors errors{2, 0.8, 1};
  const auto verdict = [&](RunFacts facts) { return lack_of_skill(errors, facts); };
  auto facts = good();
  facts.steps = 1;
  EXPECT_TRUE(has(verdict(facts),
                  "Likely reason: only 1 step of training; try the same command with --set "
                  "train.steps=2000."));
  facts.steps = 900;
  facts.minutes = 3;
  facts.out_of_time = true;
  EXPECT_TRUE(has(verdict(facts), "try the same command with --set train.minutes=12."));
  facts = good();
  facts.patch = 4;
  EXPECT_TRUE(has(verdict(facts), "Likely reason: field.patch = 4 is too coarse")) << verdict(facts);
  EXPECT_TRUE(has(verdict(facts), "try a new run with --set field.patch=2."));
  facts.periodic_axes = "x and y";
  EXPECT_TRUE(has(verdict(facts), "Likely reason: the values continue across the ends of x and y"));
  EXPECT_TRUE(has(verdict(facts), "Also possible: field.patch = 4")) << verdict(facts);
  facts = good();
  facts.noise = 0.05;
  facts.change = 0.08;
  EXPECT_TRUE(has(verdict(facts),
                  "Likely reason: noise of 5 % of the spread, while the longest step of "
                  "training changes the states by 8 %; try a new run with --set loader.strides=[8,16]."));
  facts.change = 0.5;
  EXPECT_FALSE(has(verdict(facts), "noise")) << "small compared with what changes in a step";
  facts = good();
  facts.change = 0.004;
  EXPECT_TRUE(
      has(verdict(facts),
          "training frames are too close: the longest step changes the states by 0.4 % of the spread"));
  EXPECT_TRUE(has(verdict(good()),
                  "no single one stands out; try the same command with --set "
                  "train.steps=16000, and cvf data audit on the file."));
}

}  // namespace
}  // namespace cvf
