// What a signal knows beyond the time, on forecasts whose answers are known.
#include "metrics/within_frames.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "support/scratch.hpp"

namespace cvf::metrics {
namespace {

using testing_support::sentence_of;

constexpr std::size_t samples = 40, frames = 20;

// Errors grow with time, each sample at a pace of its own; the signal is what the test says.
std::vector<Track> growing(const std::function<double(double time, double error, double noise)>& signal) {
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> pace(0, 0.2);
  std::normal_distribution<double> noise;
  std::vector<Track> out(samples);
  for (auto& track : out) {
    const double own = pace(random);
    for (std::size_t k = 1; k <= frames; ++k) {
      const auto time = static_cast<double>(k);
      track.error.push_back(own * time);
      track.score.push_back(signal(time, own * time, noise(random)));
    }
  }
  return out;
}

TEST(WithinFrames, AClockRanksAllFramesAndNoneOfOneTime) {
  const auto clock = growing([](double time, double, double) { return time; });
  EXPECT_GT(rank_correlation_pooled(clock), 0.9);
  const auto within = rank_correlation_within(clock);
  EXPECT_EQ(within.mean, 0);
  EXPECT_EQ(within.low, 0);
  EXPECT_EQ(within.high, 0);
  EXPECT_EQ(within.frames, frames);
  // A clock that trembles: still nothing, and an interval that says so.
  const auto trembling = growing([](double time, double, double noise) { return time + 0.3 * noise; });
  EXPECT_GT(rank_correlation_pooled(trembling), 0.9);
  const auto seen = rank_correlation_within(trembling);
  EXPECT_NEAR(seen.mean, 0, 0.1);
  EXPECT_LT(seen.low, 0);
  EXPECT_GT(seen.high, 0);
}

TEST(WithinFrames, TheErrorItselfRanksPerfectly) {
  const auto within = rank_correlation_within(growing([](double, double error, double) { return error; }));
  EXPECT_DOUBLE_EQ(within.mean, 1);
  EXPECT_DOUBLE_EQ(within.low, 1);
  EXPECT_DOUBLE_EQ(within.high, 1);
  const auto opposite = rank_correlation_within(growing([](double, double error, double) { return -error; }));
  EXPECT_DOUBLE_EQ(opposite.mean, -1);
}

TEST(WithinFrames, IsTheMeanOfTheRankCorrelationsOfTheFrames) {
  const std::vector<Track> tracks{{{1, 5}, {1, 1}}, {{2, 6}, {2, 2}}, {{3, 7}, {4, 3}}, {{4, 8}, {3, 4}}};
  EXPECT_DOUBLE_EQ(rank_correlation_within(tracks).mean, (0.8 + 1) / 2);  // 1 - 6 * 2 / (4 * 15), and 1
}

TEST(WithinFrames, LeavesOutFramesThatTooFewSamplesReach) {
  std::vector<Track> tracks{{{1, 1}, {1, 9}}, {{2, 2}, {2, 8}}, {{3}, {3}}};
  const auto within = rank_correlation_within(tracks);
  EXPECT_EQ(within.frames, 1U);
  EXPECT_DOUBLE_EQ(within.mean, 1) << "the second frame has two samples, and says nothing";
  EXPECT_EQ(reliability_within(tracks, 3, 2).size(), 1U);
  tracks.pop_back();
  EXPECT_FALSE(rank_correlation_within(tracks).measured());
  EXPECT_TRUE(reliability_within(tracks, 3, 2).empty());
}

// Pairs of normal numbers with correlation r have the rank correlation 6/pi asin(r/2): the interval holds it
// nearly as often as it says. Samples keep their nature through all frames, so frames are no further trials.
TEST(WithinFrames, TheIntervalCoversTheTruthOverDrawsOfSamples) {
  const double r = 0.5, truth = 6 / M_PI * std::asin(r / 2);
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal;
  int covered = 0;
  constexpr int trials = 300;
  double width = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<Track> tracks(samples);
    for (auto& track : tracks) {
      const double x = normal(random), y = r * x + std::sqrt(1 - r * r) * normal(random);
      track.score = {x, 3 + x};
      track.error = {y, 2 * y};
    }
    const auto seen = rank_correlation_within(tracks, 200);
    covered += seen.low <= truth && truth <= seen.high ? 1 : 0;
    width += (seen.high - seen.low) / trials;
  }
  EXPECT_NEAR(static_cast<double>(covered) / trials, 0.95, 0.05);
  EXPECT_GT(width, 0.3);
  EXPECT_LT(width, 0.7);
}

TEST(WithinFrames, GivesTheSameIntervalEveryTime) {
  const auto noisy = growing([](double, double error, double noise) { return error + noise; });
  EXPECT_EQ(rank_correlation_within(noisy).low, rank_correlation_within(noisy).low);
}

TEST(ReliabilityWithin, SortsTheSamplesOfEachFrameAndGathersNeighbouringFrames) {
  // Doubts 1..4 in both frames; errors 1..4 and then 10..40.
  std::vector<Track> tracks;
  for (const double i : {3.0, 1.0, 4.0, 2.0}) tracks.push_back({{i, i}, {i, 10 * i}});
  const auto together = reliability_within(tracks, 1, 2);
  ASSERT_EQ(together.size(), 1U);
  EXPECT_EQ(together[0].last, 1U);
  EXPECT_EQ(together[0].parts[0].count, 4U);
  EXPECT_DOUBLE_EQ(together[0].parts[0].mean_error, (1.5 + 15) / 2);
  EXPECT_DOUBLE_EQ(together[0].parts[1].mean_error, (3.5 + 35) / 2);
  EXPECT_DOUBLE_EQ(together[0].parts[1].largest_error, 40);
  const auto apart = reliability_within(tracks, 5, 4);
  ASSERT_EQ(apart.size(), 2U);
  EXPECT_EQ(apart[1].first, 1U);
  EXPECT_DOUBLE_EQ(apart[1].parts[3].mean_error, 40);
}

TEST(ReliabilityWithin, IsFlatForAClock) {
  const auto clock = growing([](double time, double, double) { return time; });
  for (const auto& bin : reliability_within(clock, 3, 4)) {
    const double first = bin.parts.front().mean_error, last = bin.parts.back().mean_error;
    EXPECT_NEAR(last / first, 1, 0.2);
  }
}

TEST(WithinFrames, RefusesNumbersThatMeanNothing) {
  const std::vector<Track> uneven{{{1, 2}, {1}}}, unknown{{{1, NAN}, {1, 1}}};
  EXPECT_NE(sentence_of([&] { rank_correlation_within(uneven); }).find("2 scores and 1 errors"),
            std::string::npos);
  EXPECT_NE(sentence_of([&] { rank_correlation_within(unknown); }).find("forecast 0, frame 1"),
            std::string::npos);
}

}  // namespace
}  // namespace cvf::metrics
