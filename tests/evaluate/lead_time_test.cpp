// Bars by lead time: what they promise where the distribution of the errors is known.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "evaluate/calibrate.hpp"
#include "support/scratch.hpp"

namespace cvf::evaluate {
namespace {

using testing_support::Scratch;

// Values of a frame share the luck of their trajectory: |error| / score = exp(luck) |normal|, and score and
// error grow with time.
class Lucky {
 public:
  explicit Lucky(std::uint64_t seed) : random_(seed) {}
  std::vector<Trial> draw(std::size_t count, int frames = 16, int values = 40) {
    std::vector<Trial> out;
    for (std::size_t i = 0; i < count; ++i) {
      const double luck = std::exp(0.5 * normal_(random_));
      Trial trial{{0}, {0}, {0}, {{0}}};
      for (int k = 1; k <= frames; ++k) {
        std::vector<double> ratios;
        double square = 0;
        for (int v = 0; v < values; ++v) {
          ratios.push_back(luck * std::abs(normal_(random_)));
          square += ratios.back() * ratios.back() / values;
        }
        trial.times.push_back(k);
        trial.doubt.push_back(k);
        trial.error.push_back(k * std::sqrt(square));
        trial.ratios.push_back(thinned(ratios));
      }
      out.push_back(trial);
    }
    return out;
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

// Over the draw of calibration and test the mean is no less than the coverage asked for, and more by what the
// missing trajectory may count for, 1 / 40, at most. 300 rounds whose coverages scatter by some .05 each:
// three standard errors are .009, and thinning adds .01.
TEST(LeadTimeBins, HoldValuesAsOftenAsTheyPromiseInEveryBin) {
  for (const double coverage : {0.5, 0.8, 0.9}) {
    std::vector<double> reached(octaves, 0);
    constexpr int rounds = 300;
    for (int round = 0; round < rounds; ++round) {
      Lucky nature(static_cast<std::uint64_t>(round));
      const auto calibration = calibrate(nature.draw(39));
      const auto seen = coverage_of(calibration, coverage, nature.draw(20));
      ASSERT_EQ(seen.bins.size(), 5U);  // 16 frames leave the first of six octaves empty
      for (std::size_t i = 0; i < seen.bins.size(); ++i) reached[i] += seen.bins[i].reached / rounds;
    }
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_GT(reached[i], coverage - 0.009) << coverage << " bin " << i;
      EXPECT_LT(reached[i], coverage + 1.0 / 40 + 0.019) << coverage << " bin " << i;
    }
  }
}

TEST(LeadTimeBins, AreHalfOpenOctavesUpToTheHorizon) {
  Lucky nature(1);
  const auto calibration = calibrate(nature.draw(20));
  const auto seen = coverage_of(calibration, 0.9, nature.draw(5));
  EXPECT_EQ(seen.bins.back().to, 16);
  EXPECT_EQ(seen.bins.back().from, 8);
  EXPECT_EQ(seen.bins.front().to, 1);
  EXPECT_EQ(calibration.value_factor(0.9, 16), seen.bins.back().factor);
  EXPECT_TRUE(std::isinf(calibration.value_factor(0.9, 17)));
}

TEST(LeadTimeBins, PromiseNothingWithTooFewTrajectories) {
  Lucky nature(1);
  const auto calibration = calibrate(nature.draw(8));
  EXPECT_TRUE(std::isinf(calibration.value_factor(0.9, 16)));
  EXPECT_TRUE(std::isfinite(calibration.value_factor(0.8, 16)));
}

// With one number a trajectory the mixture is the conformal quantile, the ceil((n + 1) coverage)-th smallest;
// the file keeps 400 levels of it, so it may be the one after.
TEST(LeadTimeBins, OfSingleNumbersAreTheConformalRank) {
  std::vector<Trial> trials;
  for (int i = 1; i <= 19; ++i) trials.push_back({{0, 1}, {0, 1}, {0, static_cast<double>(i)}});
  const auto calibration = calibrate(trials);
  for (const auto& [coverage, rank] : {std::pair{0.9, 18.0}, {0.5, 10.0}, {0.95, 19.0}}) {
    EXPECT_GE(calibration.value_factor(coverage, 1), rank) << coverage;
    EXPECT_LE(calibration.value_factor(coverage, 1), std::min(rank + 1, 19.0)) << coverage;
  }
}

TEST(LeadTimeBins, AreKeptByTheFileOfTheCalibration) {
  const Scratch scratch;
  Lucky nature(3);
  auto calibration = calibrate(nature.draw(19));
  calibration.score = Score::spread;
  calibration.checkpoint = "abc";
  save(calibration, scratch.path("c.toml"));
  const auto again = load_calibration(scratch.path("c.toml"));
  EXPECT_EQ(again.score, Score::spread);
  EXPECT_EQ(again.bins.quantiles, calibration.bins.quantiles);
  EXPECT_EQ(again.bins.trajectories, calibration.bins.trajectories);
}

TEST(ValueScales, HaveHalfTheirVarianceFromTheChannelOfTheFrame) {
  const auto spread = torch::tensor({1.0, 3.0, 2.0, 2.0}, torch::kDouble).view({2, 1, 2});
  const auto made = value_scales(rollout::array_of(spread, 0));
  const auto scales = rollout::tensor_of(made);
  EXPECT_NEAR(scales[0][0][0].item<double>(), std::sqrt((1.0 + 5.0) / 2), 1e-12);
  EXPECT_NEAR(scales[1][0][1].item<double>(), 2, 1e-12);
  EXPECT_NEAR(frame_score(made), std::sqrt(18.0 / 4), 1e-12) << "the root mean square stays what it was";
  EXPECT_TRUE(std::isinf(frame_score(rollout::array_of(torch::full({2}, NAN), 0))));
  const auto of_vector = value_scales(rollout::array_of(torch::tensor({-1.0, 2.0}), 0));
  EXPECT_TRUE(torch::equal(rollout::tensor_of(of_vector), torch::tensor({1.0, 2.0})));
}

}  // namespace
}  // namespace cvf::evaluate
