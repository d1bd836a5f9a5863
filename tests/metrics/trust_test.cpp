// Ranks, bins and bounds on data whose answers are known.
#include "metrics/trust.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/scratch.hpp"

namespace cvf::metrics {
namespace {

using testing_support::sentence_of;
using Values = std::vector<double>;

TEST(RankCorrelation, SeesOrderAndNothingElse) {
  const Values score{0.1, 0.2, 0.3, 0.4};
  EXPECT_DOUBLE_EQ(rank_correlation(score, Values{1, 10, 100, 1e6}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation(score, Values{4, 3, 2, -1}), -1);
  EXPECT_DOUBLE_EQ(rank_correlation(score, Values{2, 1, 4, 3}), 0.6);  // 1 - 6 * 4 / (4 * 15)
  EXPECT_DOUBLE_EQ(rank_correlation(score, Values{7, 7, 7, 7}), 0);
}

TEST(RankCorrelation, SharesTheRanksOfEqualValues) {
  // ranks 0, 1.5, 1.5, 3 against 0, 1, 2, 3: covariance 4.5, variances 4.5 and 5
  EXPECT_NEAR(rank_correlation(Values{1, 2, 2, 3}, Values{1, 2, 3, 4}), 4.5 / std::sqrt(4.5 * 5), 1e-15);
}

TEST(Reliability, CutsIntoEqualPartsByScore) {
  const Values score{5, 1, 4, 2, 3}, error{50, 10, 40, 20, 30};
  const auto bins = reliability(score, error, 2);
  ASSERT_EQ(bins.size(), 2u);
  EXPECT_EQ(bins[0].count, 2u);
  EXPECT_DOUBLE_EQ(bins[0].highest_score, 2);
  EXPECT_DOUBLE_EQ(bins[0].mean_error, 15);
  EXPECT_EQ(bins[1].count, 3u);
  EXPECT_DOUBLE_EQ(bins[1].lowest_score, 3);
  EXPECT_DOUBLE_EQ(bins[1].mean_score, 4);
  EXPECT_DOUBLE_EQ(bins[1].mean_error, 40);
  EXPECT_DOUBLE_EQ(bins[1].largest_error, 50);
  EXPECT_EQ(reliability(score, error, 9).size(), 5u);
  EXPECT_NE(reliability_table(bins).find("mean error"), std::string::npos);
}

TEST(ConformalBound, TakesTheCorrectedQuantile) {
  Values score(9, 2.0), error;
  for (int i = 1; i <= 9; ++i) error.push_back(i);
  EXPECT_DOUBLE_EQ(conformal_bound(score, error, 0.9).factor, 4.5);  // ceil(10 * 0.9) = 9th of 9
  EXPECT_DOUBLE_EQ(conformal_bound(score, error, 0.5).factor, 2.5);  // 5th
  EXPECT_TRUE(std::isinf(conformal_bound(score, error, 0.95).factor)) << "9 pairs cannot promise 95 %";
  EXPECT_DOUBLE_EQ(conformal_bound(score, error, 0.5).bound(4), 10);
}

// Errors scatter around the score; the coverage of fresh pairs, averaged over calibrations, is the one that
// was asked for: between coverage and coverage + 1/(n + 1).
TEST(ConformalBound, CoversFreshPairsAsOftenAsItPromises) {
  std::mt19937_64 random(5);
  std::lognormal_distribution<double> scores(0, 1), noise(0, 0.7);
  const auto draw = [&](std::size_t count, Values& score, Values& error) {
    for (std::size_t i = 0; i < count; ++i) {
      score.push_back(scores(random));
      error.push_back(score.back() * noise(random));
    }
  };
  for (const double coverage : {0.5, 0.8, 0.95}) {
    constexpr int calibrations = 2000, fresh = 50;
    int covered = 0;
    for (int round = 0; round < calibrations; ++round) {
      Values score, error, new_score, new_error;
      draw(39, score, error);
      draw(fresh, new_score, new_error);
      const auto bound = conformal_bound(score, error, coverage);
      for (std::size_t i = 0; i < fresh; ++i) covered += new_error[i] <= bound.bound(new_score[i]) ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(covered) / (calibrations * fresh), coverage, 0.008) << coverage;
  }
}

TEST(ConformalBound, SaysHowManyACoverageTakes) {
  EXPECT_EQ(needed_for(0.5), 1u);
  EXPECT_EQ(needed_for(0.8), 4u);
  EXPECT_EQ(needed_for(0.9), 9u);
  EXPECT_EQ(needed_for(0.95), 19u);
  EXPECT_EQ(needed_for(0.99), 99u);
  for (const double coverage : {0.01, 0.3, 0.75, 0.875, 0.999}) {
    const auto needed = needed_for(coverage);
    EXPECT_LE(conformal_rank(needed, coverage), needed);
    if (needed > 1) {
      EXPECT_GT(conformal_rank(needed - 1, coverage), needed - 1) << coverage;
    }
  }
}

TEST(WorstRatio, LooksAtEveryFrameThatHasAScore) {
  EXPECT_DOUBLE_EQ(worst_ratio(Values{1, 2, 4}, Values{3, 8, 12}), 4);
  EXPECT_DOUBLE_EQ(worst_ratio(Values{1, INFINITY}, Values{3, 1e9}), 3) << "no score, no promise";
  EXPECT_DOUBLE_EQ(worst_ratio(Values{INFINITY}, Values{NAN}), 0);
  EXPECT_TRUE(std::isinf(worst_ratio(Values{1, 2, 3}, Values{1, NAN, 1}))) << "divergence is never forgotten";
  EXPECT_NE(sentence_of([] {
              worst_ratio(Values{1, 0}, Values{1, 1});
            }).find("frame 1: the score 0"),
            std::string::npos);
}

TEST(Trust, RefusesPairsThatMeanNothing) {
  EXPECT_NE(sentence_of([] {
              rank_correlation(Values{1, 2}, Values{1});
            }).find("one error for each score"),
            std::string::npos);
  EXPECT_NE(sentence_of([] {
              reliability(Values{1, NAN}, Values{1, 1}, 2);
            }).find("pair 1"),
            std::string::npos);
  EXPECT_NE(sentence_of([] {
              conformal_bound(Values{1, 0}, Values{1, 1}, 0.5);
            }).find("pair 1: the score 0"),
            std::string::npos);
  EXPECT_NE(sentence_of<UsageError>([] { conformal_bound(Values{1}, Values{1}, 1); }).find("between 0 and 1"),
            std::string::npos);
}

}  // namespace
}  // namespace cvf::metrics
