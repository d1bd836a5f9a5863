// The context of a model: units, what training saw, controls over steps and at jumps.
#include "model/context.hpp"

#include <gtest/gtest.h>

#include "core/errors.hpp"
#include "model/trained_model.hpp"

namespace cvf::model {
namespace {

SampleContextPointer sample(double omega, std::vector<double> times = {}, std::vector<float> force = {}) {
  return std::make_shared<const SampleContext>(
      SampleContext{{omega}, {}, std::move(times), std::move(force), {}});
}

ContextSpec fitted() {
  ContextSpec spec;
  const std::vector<SampleContextPointer> samples{sample(1, {0, 1}, {-2, 2}), sample(3, {0, 1}, {0, 0})};
  spec.fit({{"omega"}, {}, {"force"}, {}}, samples);
  return spec;
}

TEST(ContextSpec, KnowsWhatTrainingSaw) {
  const auto spec = fitted();
  EXPECT_EQ(spec.parameters.mean, std::vector<double>{2});
  EXPECT_EQ(spec.parameters.deviation, std::vector<double>{1});
  EXPECT_EQ(spec.parameters.lowest, std::vector<double>{1});
  EXPECT_EQ(spec.parameters.highest, std::vector<double>{3});
  EXPECT_EQ(spec.controls.lowest, std::vector<double>{-2});
  EXPECT_EQ(spec.extrapolation(*sample(1)), "");
  EXPECT_EQ(spec.extrapolation(*sample(3 + 1e-12)), "") << "round-off";
  EXPECT_EQ(spec.extrapolation(*sample(3.5)), "omega = 3.5 (training: 1 to 3)");
  EXPECT_EQ(spec.extrapolation(*sample(-1)), "omega = -1 (training: 1 to 3)");
}

TEST(ContextSpec, OfAModelOfOldHasNoRanges) {
  const std::string old =
      "[state]\nchannels = ['x']\n[context.parameters]\nnames = ['omega']\nmean = [2.0]\ndeviation = [1.0]\n"
      "[field]\nname = 'mlp'\n";
  const auto spec = from_toml(old, "old");
  EXPECT_EQ(spec.context.extrapolation(*sample(100)), "");
  EXPECT_EQ(from_toml(to_toml(spec), "again").context.parameters, spec.context.parameters);
  try {
    from_toml(
        "[state]\nchannels = ['x']\n[context.parameters]\nnames = ['omega']\nmean = [2.0]\n"
        "deviation = [1.0]\nlowest = [1.0]\n[field]\nname = 'mlp'\n",
        "half");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "half: context.parameters: 1 names have 1 lowest and 0 highest values");
  }
}

TEST(Contexts, StepsThatMeetAtAJumpSeeTheirOwnSideOfIt) {
  auto spec = fitted();
  spec.controls.mean = {0};
  spec.controls.deviation = {1};
  const Contexts contexts(spec, {sample(2, {0, 1, 1, 2}, {0, 1, 5, 7})}, {}, torch::kDouble);
  EXPECT_EQ(contexts.jumps(0), std::vector<double>{1});
  const std::vector<std::int64_t> rows{0, 0};
  const std::vector<double> begin{0.5, 1}, dt{0.5, 0.5};
  const auto over = contexts.over(rows, begin, dt);
  EXPECT_TRUE(torch::equal(over.controls.flatten(), torch::tensor({0.5, 1.0, 5.0, 6.0}, torch::kDouble)));
  EXPECT_TRUE(torch::equal(over.parameters, torch::zeros({2, 1}, torch::kDouble)));
  EXPECT_NO_THROW(contexts.check_covers(0, 0, 2));
  EXPECT_THROW(contexts.check_covers(0, 0, 2.1), DataError);
  EXPECT_THROW(contexts.check_covers(0, -0.1, 1), DataError);
}

class Breaks : public testing::Test {
 protected:
  Breaks() {
    spec_.controls.mean = {0};
    spec_.controls.deviation = {1};
  }
  // Of u at `count` + 1 times `spacing` apart, for steps of 0.1 to 0.8.
  std::vector<double> of(const std::function<double(double)>& u, double spacing, int count) const {
    std::vector<double> times;
    std::vector<float> values;
    for (int i = 0; i <= count; ++i) {
      times.push_back(i * spacing);
      values.push_back(static_cast<float>(u(times.back())));
    }
    return breaks(spec_, *sample(2, times, values), {0.1, 0.8});
  }
  static void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size()) << testing::PrintToString(found);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12);
  }
  static double zigzag(double t) {  // up for 0.3, down for 0.3
    const double phase = std::fmod(t + 1e-9, 0.6);
    return phase < 0.3 ? phase : 0.6 - phase;
  }

  ContextSpec spec_ = fitted();
};

TEST_F(Breaks, AreWhereAPiecewiseLinearControlBends) {
  expect_near(of([](double t) { return 3 * t - 1; }, 0.1, 30), {});
  expect_near(of(zigzag, 0.3, 5), {0.3, 0.6, 0.9, 1.2});
  expect_near(of(zigzag, 0.1, 15), {0.3, 0.6, 0.9, 1.2});
  expect_near(of([](double t) { return 0.05 * zigzag(t); }, 0.1, 15), {});  // too little to matter
  EXPECT_EQ(breaks(spec_, *sample(2, {0, 1, 1, 2, 3}, {0, 1, 5, 7, 9}), {0.1, 0.8}), std::vector<double>{1})
      << "a jump, and no bend behind it";
}

TEST_F(Breaks, OfASmoothControlAreAsFewAsItsBendAllows) {
  const auto sine = [](double t) { return std::sin(2 * t); };
  const auto found = of(sine, 0.01, 300);
  EXPECT_GT(found.size(), 8U);
  EXPECT_LT(found.size(), 20U);
  // The chord of a step: the sine is off it by no more than the tolerance.
  for (std::size_t i = 1; i < found.size(); ++i) {
    const double a = found[i - 1], b = found[i], middle = (a + b) / 2;
    EXPECT_LT(std::abs(sine(middle) - (sine(a) + sine(b)) / 2), 0.021);
  }
  spec_.nodes = 3;
  EXPECT_LT(of(sine, 0.01, 300).size(), 6U) << "a parabola follows it for longer";
  expect_near(of([](double t) { return t * t; }, 0.1, 30), {});
}

TEST_F(Breaks, AreNoCloserThanTheShortestStep) {
  const auto noise = [](double t) { return std::sin(1e4 * t * t); };
  const auto found = of(noise, 0.01, 200);
  EXPECT_GT(found.size(), 15U);
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_GT(found[i] - found[i - 1], 0.1 - 1e-9);
}

TEST_F(Breaks, OfAStepThatHoldsOneValueAreWhereTheValueChanges) {
  spec_.nodes = 1;
  expect_near(of([](double t) { return t < 0.95 ? 1.0 : 2.0; }, 0.1, 20), {0.9, 1.0});
}

}  // namespace
}  // namespace cvf::model
