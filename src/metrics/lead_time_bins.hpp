// How many times its score an error is, at each octave of the lead time: bars for the values of a frame.
//
// All values of a trajectory depend on each other, trajectories do not. So a value drawn at random from the
// frames of a bin of a new trajectory is bounded by the quantile of the mixture in which each of n calibrated
// trajectories has the weight 1/(n + 1), spread evenly over its own values, and the missing 1/(n + 1) lies at
// infinity:
//   P(|error| <= factor * score) >= coverage,
// over the draw of the trajectories and of the value.
#pragma once

#include <cstdint>
#include <vector>

#include "core/config.hpp"

namespace cvf::metrics {

inline constexpr std::size_t octaves = 6;

/// Of many numbers, at most 200 of which none is too small: every j-th of the sorted ones, the last among
/// them.
std::vector<double> thinned(std::vector<double> values);

/// The numbers of one trajectory in one bin, those of each of its frames.
using BinOfTrajectory = std::vector<const std::vector<double>*>;

/// The share of these that are at most `limit`, every frame counting the same.
double share_within(const BinOfTrajectory& frames, double limit);

struct LeadTimeBins {
  std::vector<std::int64_t> trajectories;  // that have frames there, of each octave
  std::vector<double> quantiles;  // of the mixture without the part at infinity, each octave's one by one

  bool known() const { return !quantiles.empty(); }
  void add(const std::vector<BinOfTrajectory>& trajectories_of_bin);
  /// Infinite where too few trajectories have frames there.
  double factor(std::size_t octave, double coverage) const;

  void describe(config::Section& section);
  bool sound() const;
};

}  // namespace cvf::metrics
