// Each definition against a closed form.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/scores.hpp"
#include "metrics/kinds.hpp"
#include "metrics/scoreboard.hpp"
#include "support/scratch.hpp"

namespace cvf::metrics {
namespace {

using testing_support::sentence_of;
using torch::Tensor;

constexpr double pi = 3.14159265358979323846;

Scoreboard board(std::vector<std::string> names, const Setting& setting = {}) {
  return {names, setting};
}

Frame frame(std::int64_t index, const Tensor& prediction, const Tensor& truth) {
  Frame out{prediction, truth, index};
  for (std::int64_t b = 0; b < truth.size(0); ++b) out.samples.push_back(b);
  return out;
}

// One frame of one metric.
Score scored(const std::string& name, const Tensor& prediction, const Tensor& truth,
             const Setting& setting = {}) {
  auto one = board({name}, setting);
  one.add(frame(1, prediction, truth));
  return one.score(name);
}

Tensor real(std::vector<double> values, at::IntArrayRef shape) {
  return torch::tensor(values, torch::kDouble).view(shape);
}

TEST(StepRmse, IsTheRootOfTheMeanSquareOverEverything) {
  auto steps = board({"step_rmse"});
  steps.add(frame(1, real({1, 2, 3, 4}, {2, 2}), real({1, 2, 3, 2}, {2, 2})));  // squares 0 0 0 4
  steps.add(frame(2, real({5, 0}, {1, 2}), real({2, 0}, {1, 2})));              // squares 9 0
  EXPECT_DOUBLE_EQ(*steps.score("step_rmse").value, std::sqrt(13.0 / 6));
}

TEST(NormalizedRmse, DividesTheErrorOfEachChannelByItsSpread) {
  auto rollout = board({"normalized_rmse"}, {"", state_of({"pressure", "moisture"})});
  // Spreads: 1e5 and 1e-3 about means of 3e5 and 2e-3; errors: half a spread of one, two spreads of the
  // other.
  rollout.add(frame(0, real({0, 0}, {1, 2}), real({9e9, 9e9}, {1, 2})));
  rollout.add(frame(1, real({2.5e5, 1e-3}, {1, 2}), real({2e5, 1e-3}, {1, 2})));
  rollout.add(frame(2, real({4e5, 5e-3}, {1, 2}), real({4e5, 3e-3}, {1, 2})));
  const Score score = rollout.score("normalized_rmse");
  EXPECT_NEAR(*score.value, std::sqrt((0.25 / 2 + 4.0 / 2) / 2), 1e-12);
  ASSERT_EQ(score.per_frame.size(), 2u);
  EXPECT_NEAR(score.per_frame[0].second, std::sqrt(0.25 / 2), 1e-12);
  EXPECT_NEAR(score.per_frame[1].second, std::sqrt(4.0 / 2), 1e-12);
  ASSERT_EQ(score.parts.size(), 2u);
  EXPECT_EQ(score.parts[0].first, "pressure");
  EXPECT_NEAR(score.parts[0].second, std::sqrt(0.25 / 2), 1e-12);
}

TEST(NormalizedRmse, IsOneForTheMeanStateAndTheSameInAnyUnit) {
  torch::manual_seed(4);
  const Tensor truth = torch::randn({7, 2, 5}, torch::kDouble) + 3;
  const Tensor mean = truth.mean(at::IntArrayRef{0, 2}, true).expand_as(truth);
  EXPECT_NEAR(*scored("normalized_rmse", mean, truth).value, 1, 1e-12);
  const Tensor guess = truth + 0.1 * torch::randn_like(truth), units = real({1e5, 1e-3}, {1, 2, 1});
  const double here = *scored("normalized_rmse", guess, truth).value;
  EXPECT_NEAR(*scored("normalized_rmse", guess * units, truth * units).value, here, 1e-12 * here);
  EXPECT_NEAR(*scored("normalized_rmse", guess + units, truth + units).value, here, 1e-9 * here)
      << "an offset";
}

TEST(NormalizedRmse, IsFiniteForConstantChannels) {
  const Tensor truth = real({5, 0, 5, 0}, {2, 2}), guess = real({6, 1, 6, 1}, {2, 2});
  EXPECT_NEAR(*scored("normalized_rmse", guess, truth).value, std::sqrt((0.04 + 1) / 2), 1e-12);
}

TEST(RolloutRmse, IsTheRootOfTheMeanOverFramesAndLeavesFrameZeroOut) {
  auto rollout = board({"rollout_rmse"});
  rollout.add(frame(0, real({100}, {1, 1}), real({0}, {1, 1})));
  rollout.add(frame(1, real({1, 3}, {2, 1}), real({0, 0}, {2, 1})));  // mean square 5
  rollout.add(frame(2, real({3}, {1, 1}), real({0}, {1, 1})));        // mean square 9; one sample fewer
  const Score score = rollout.score("rollout_rmse");
  EXPECT_DOUBLE_EQ(*score.value, std::sqrt(7.0));
  ASSERT_EQ(score.per_frame.size(), 2u);
  EXPECT_EQ(score.per_frame[0], (std::pair<std::int64_t, double>{1, std::sqrt(5.0)}));
  EXPECT_EQ(score.per_frame[1], (std::pair<std::int64_t, double>{2, 3.0}));
}

// Two channels of two cells: squares 4, 0 in u and 9, 9 in v at frame 1; 16, 16 in u at frame 2.
TEST(Rmse, IsAlsoToldForEachChannel) {
  const auto fed = [](const char* name, const Setting& setting) {
    auto errors = board({name}, setting);
    errors.add(frame(1, real({2, 0, 3, -3}, {1, 2, 2}), torch::zeros({1, 2, 2})));
    errors.add(frame(2, real({4, 4, 0, 0}, {1, 2, 2}), torch::zeros({1, 2, 2})));
    return errors.score(name);
  };
  const Setting named{"", state_of({"u", "v"})};
  for (const auto* name : {"rollout_rmse", "step_rmse"}) {
    const Score score = fed(name, named);
    ASSERT_EQ(score.parts.size(), 2U) << name;
    EXPECT_EQ(score.parts[0].first, "u");
    EXPECT_DOUBLE_EQ(score.parts[0].second, 3) << "the root of (2 + 16) / 2";
    EXPECT_DOUBLE_EQ(score.parts[1].second, std::sqrt(4.5));
    EXPECT_DOUBLE_EQ(*score.value, std::sqrt((9 + 4.5) / 2)) << "channels of one size share the whole";
  }
  EXPECT_TRUE(fed("rollout_rmse", {}).parts.empty()) << "channels without names";
}

// The mean over frames comes before the root: a frame of few samples counts as much as another.
TEST(Rmse, OfAChannelWeighsFramesAsTheWholeDoes) {
  auto rollout = board({"rollout_rmse"}, {"", state_of({"a", "b"})});
  rollout.add(frame(1, real({1, 0, 3, 0}, {2, 2}), torch::zeros({2, 2})));  // a: mean square 5
  rollout.add(frame(2, real({3, 0}, {1, 2}), torch::zeros({1, 2})));        // a: 9
  const auto parts = rollout.score("rollout_rmse").parts;
  EXPECT_DOUBLE_EQ(parts.at(0).second, std::sqrt(7.0));
  EXPECT_EQ(parts.at(1).second, 0);
}

TEST(RelativeL2, IsTheMeanOfTheSamplesOwnRatios) {
  auto relative = board({"relative_l2"});
  relative.add(frame(1, real({3.3, 0, 2, 0}, {2, 2}), real({3, 0, 1, 0}, {2, 2})));
  relative.add(frame(2, real({4.4, 0, 2, 0}, {2, 2}), real({4, 0, 1, 0}, {2, 2})));
  EXPECT_NEAR(*relative.score("relative_l2").value, (0.1 + 1) / 2, 1e-15);
  const auto zero = [] { scored("relative_l2", torch::ones({1, 2}), torch::zeros({1, 2})); };
  EXPECT_NE(sentence_of(zero).find("sample 0: its truth is zero everywhere"), std::string::npos);
}

TEST(Spectrum, PutsTheEnergyOfAWaveIntoItsShell) {
  const Tensor x = torch::arange(32, torch::kDouble) * (2 * pi / 32);
  const Tensor y =
      torch::arange(16, torch::kDouble).unsqueeze(1) * (2 * pi / 32);  // square cells, half as many
  const Tensor wave = 3 + 2 * (5 * x).cos().expand({16, 32}) + (4 * x + 2 * y).sin();
  const Tensor energy = radial_spectrum(wave.view({1, 1, 16, 32}))[0][0];
  ASSERT_EQ(energy.size(0), 9);
  EXPECT_NEAR(energy[0].item<double>(), 9, 1e-12);
  EXPECT_NEAR(energy[5].item<double>(), 2, 1e-12);
  EXPECT_NEAR(energy[4].item<double>(), 0.5, 1e-12);  // sqrt(20) rounds to 4
  EXPECT_NEAR(energy.sum().item<double>(), 11.5, 1e-12);
  EXPECT_NEAR(radial_spectrum((7 * x).cos().view({1, 1, 32}))[0][0][7].item<double>(), 0.5, 1e-12);
}

TEST(SpectrumError, OfAScaledFieldIsTheChangeOfItsEnergyAndIgnoresTheMean) {
  const Tensor truth = torch::randn({3, 2, 16, 16}, torch::kDouble);
  EXPECT_NEAR(*scored("spectrum_error", 1.1 * truth + 7, truth).value, 0.21, 1e-12);
  EXPECT_NEAR(*scored("spectrum_error", truth.roll({3, 5}, {2, 3}), truth).value, 0,
              1e-12);  // phases do not matter
  EXPECT_FALSE(scored("spectrum_error", torch::ones({3, 2}), torch::ones({3, 2})).value.has_value());
}

TEST(CorrelationTime, IsTheFirstTimeBelowFourFifthsAndALowerBoundForThoseThatStay) {
  const Tensor pattern = real({1, -1, 1, -1}, {1, 1, 4}), other = real({1, 1, -1, -1}, {1, 1, 4});
  const auto mixed = [&](double correlation) {  // unit vectors at that angle
    return 5 + 3 * (correlation * pattern + std::sqrt(1 - correlation * correlation) * other);
  };
  auto falls = board({"correlation_time"});
  const std::vector<std::pair<double, double>> samples{{0.99, 0.9}, {0.81, 0.79}, {0.9, 0.95}};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Frame now = frame(static_cast<std::int64_t>(i) + 1,
                      torch::cat({mixed(samples[i].first), mixed(samples[i].second)}),
                      torch::cat({pattern, pattern}));
    now.times = {0.5 * static_cast<double>(i + 1), 0.5 * static_cast<double>(i + 1)};
    falls.add(now);
  }
  const Score score = falls.score("correlation_time");
  EXPECT_DOUBLE_EQ(*score.value,
                   (1.5 + 1.0) / 2);  // the first never falls, the second at 1.0, and recovery does not count
  EXPECT_TRUE(score.lower_bound);
  EXPECT_EQ(score.text(), ">= 1.25");
}

TEST(CorrelationTime, TakesAFlatFieldToGoWithAFlatFieldOnly) {
  const Tensor flat = torch::full({1, 1, 4}, 2.0), wavy = real({1, 2, 3, 4}, {1, 1, 4});
  EXPECT_TRUE(scored("correlation_time", flat, flat + 1).lower_bound);
  EXPECT_FALSE(scored("correlation_time", wavy, flat).lower_bound);
  EXPECT_EQ(scored("correlation_time", torch::ones({1, 3}), torch::ones({1, 3})).text(), "-");
}

TEST(Cost, CountsEvaluationsAndSecondsForEachFrameAndSample) {
  auto cost = board({"nfe", "seconds_per_frame"});
  Frame first = frame(1, torch::zeros({2, 1}), torch::zeros({2, 1})), second = first;
  first.evaluations = {3, 9};
  first.seconds = 0.5;
  second.index = 2;
  second.evaluations = {1, 3};
  second.seconds = 0.25;
  cost.add(first);
  cost.add(second);
  EXPECT_DOUBLE_EQ(*cost.score("nfe").value, 4);
  EXPECT_DOUBLE_EQ(*cost.score("seconds_per_frame").value, 0.1875);
  EXPECT_FALSE(scored("nfe", torch::zeros({1, 1}), torch::zeros({1, 1})).value.has_value());
}

TEST(Cped, IsADashWhereTheModelIsNotBetterThanTheBase) {
  EXPECT_DOUBLE_EQ(*cped(3, 21.5, 0.009, 0.094), (3 / 21.5) / (0.094 - 0.009));
  EXPECT_EQ(text(cped(3, 21.5, 0.094, 0.094)), "-");
  EXPECT_EQ(text(cped(3, 21.5, 0.2, 0.094)), "-");
  EXPECT_EQ(text(cped(3, 21.5, std::nullopt, 0.094)), "-");
  EXPECT_NE(sentence_of<UsageError>([] { board({"cped"}); }).find("computed from others"), std::string::npos);
}

TEST(Divergence, IsReportedWithSampleAndFrameAndNeverAveraged) {
  auto rollout = board({"rollout_rmse", "nfe"});
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> predictions{{1, 1, 1}, {1, nan, 1}, {1, 0, infinity}};
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    Frame now = frame(static_cast<std::int64_t>(i) + 1, real(predictions[i], {3, 1}), torch::zeros({3, 1}));
    now.evaluations = {2, 2, 2};
    rollout.add(now);
  }
  const Score score = rollout.score("rollout_rmse");
  EXPECT_FALSE(score.value.has_value());
  EXPECT_EQ(score.text(), "diverged");
  EXPECT_EQ(score.per_frame, (std::vector<std::pair<std::int64_t, double>>{{1, 1.0}}));
  EXPECT_EQ(rollout.divergence_sentence(),
            "2 of 3 samples diverged: sample 1 at frame 2, sample 2 at frame 3");
  EXPECT_EQ(rollout.score("nfe").text(), "2");
}

TEST(Scoreboard, MergedFromPartsInAnyOrderGivesTheSameBits) {
  std::vector<std::string> all;
  for (const auto& row : registry()) {
    if (row.make != nullptr) all.emplace_back(row.name);
  }
  const Setting flow{"compressible_flow", state_of({"density", "pressure", "Vx", "Vy"})};
  Scoreboard whole(all, flow), early(all, flow), late(all, flow);
  for (std::int64_t index = 1; index <= 4; ++index) {
    Frame both = frame(index, torch::randn({2, 4, 8, 8}), torch::randn({2, 4, 8, 8}));
    both.evaluations = {1, 2};
    both.seconds = 1;
    whole.add(both);
    for (const std::int64_t b : {1, 0}) {
      Frame alone{both.prediction.narrow(0, b, 1),
                  both.truth.narrow(0, b, 1),
                  index,
                  {b},
                  {},
                  {1.0 + double(b)},
                  0.5};
      (index % 2 == 0 ? early : late).add(alone);
    }
  }
  late.merge(early);
  for (const auto& name : all) {
    ASSERT_TRUE(whole.score(name).value.has_value()) << name;
    EXPECT_EQ(whole.score(name).value, late.score(name).value) << name;
  }
}

TEST(Scoreboard, RefusesWhatDoesNotBelong) {
  auto rollout = board({"rollout_rmse"});
  rollout.add(frame(1, torch::ones({2, 1}), torch::ones({2, 1})));
  const auto says = [&](const Frame& bad) { return sentence_of([&] { rollout.add(bad); }); };
  EXPECT_NE(
      says(frame(1, torch::ones({1, 1}), torch::ones({1, 1}))).find("sample 0, frame 1: was scored twice"),
      std::string::npos);
  EXPECT_NE(says(frame(2, torch::ones({1, 1}), torch::full({1, 1}, NAN))).find("the truth is not finite"),
            std::string::npos);
  EXPECT_NE(says(frame(3, torch::ones({1, 2}), torch::ones({1, 1}))).find("do not belong together"),
            std::string::npos);
  EXPECT_NE(sentence_of<UsageError>([] { board({"rollout_rsme"}); }).find("did you mean 'rollout_rmse'"),
            std::string::npos);
}

TEST(Registry, DefinesEveryMetricInASentence) {
  const std::string all = definitions();
  for (const auto& row : registry()) {
    EXPECT_GT(row.definition.size(), 20u) << row.name;
    EXPECT_NE(all.find(std::string(row.name)), std::string::npos);
  }
}

}  // namespace
}  // namespace cvf::metrics
