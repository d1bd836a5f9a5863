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

}  // namespace
}  // namespace cvf::model
