// Does a score that needs no truth (the rupture of each accepted step) tell how wrong a prediction is? How
// well it ranks, what error goes with what score, and a bound on the error at a chosen coverage. Plain
// functions of (score, true error) pairs.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace cvf::metrics {

/// Spearman's rank correlation, -1 .. 1; equal values share the mean of their ranks. 0 when one side is
/// constant.
double rank_correlation(std::span<const double> scores, std::span<const double> errors);

struct ReliabilityBin {
  std::size_t count = 0;
  double lowest_score = 0, highest_score = 0, mean_score = 0;
  double mean_error = 0, largest_error = 0;

  /// The pairs of both.
  void take(const ReliabilityBin& other);
};

/// Pairs sorted by score and cut into `bins` parts of (nearly) equal numbers. In a trustworthy score the mean
/// error grows from bin to bin.
std::vector<ReliabilityBin> reliability(std::span<const double> scores, std::span<const double> errors,
                                        int bins);
std::string reliability_table(std::span<const ReliabilityBin> bins);

/// Which of `count` sorted numbers bounds a fresh one, exchangeable with them, with probability `coverage`:
/// the ceil((count + 1) coverage)-th smallest. Beyond `count` where they are too few for it.
std::size_t conformal_rank(std::size_t count, double coverage);

/// How many numbers it takes to bound a fresh one with this probability: 9 for 0.9, 19 for 0.95.
std::size_t needed_for(double coverage);

/// The largest error / score of one trajectory: the one number that it gives to a bound over trajectories.
/// Where the score is infinite nothing is promised, so nothing is looked at; 0 where that is everywhere.
double worst_ratio(std::span<const double> scores, std::span<const double> errors);

/// Split-conformal bound: with probability at least `coverage`, over calibration and a new pair exchangeable
/// with it, error <= factor * score.
struct ConformalBound {
  double coverage = 0;
  double factor = 0;  // infinite when there are too few pairs for this coverage
  std::size_t pairs = 0;

  double bound(double score) const { return factor * score; }
};

/// factor is the ceil((n + 1) coverage)-th smallest of error/score: the finite-sample correction. Scores must
/// be positive; a DataError names the first pair that is not finite or not positive.
ConformalBound conformal_bound(std::span<const double> scores, std::span<const double> errors,
                               double coverage);

}  // namespace cvf::metrics
