// How well a signal tells good forecasts from bad ones at equal lead time. Errors grow with time, and so does
// nearly everything that is added up along a forecast: over all frames together even a clock ranks errors
// well. Among the samples of one frame a clock knows nothing, and what is left is the signal's own.
#pragma once

#include <span>
#include <vector>

#include "metrics/trust.hpp"

namespace cvf::metrics {

/// One forecast: at each predicted frame what the signal said and how wrong the frame was. Ends before the
/// first frame of which one of them is not known.
struct Track {
  std::vector<double> score, error;
};

/// With fewer samples a frame is not counted: two always rank perfectly, one way or the other.
inline constexpr std::size_t least_samples = 3;

struct WithinFrames {
  double mean = 0;           // over the frames that count, of the rank correlation among the samples of each
  double low = 0, high = 0;  // 95 % of the bootstrap: samples drawn again, with replacement
  std::size_t frames = 0;    // that count; 0: nothing to measure

  bool measured() const { return frames > 0; }
};

/// A frame in which the signal or the error is constant counts with 0. The draws are the same in every call.
WithinFrames rank_correlation_within(std::span<const Track> tracks, int rounds = 1000);

/// Spearman's rank correlation over all frames of all forecasts together.
double rank_correlation_pooled(std::span<const Track> tracks);

/// Neighbouring frames [first, last]; the samples of each of them are sorted by the signal and cut into
/// parts, and part i holds the i-th parts of all these frames. With a signal that one can trust the mean
/// error grows from part to part, which time alone cannot bring about.
struct LeadTimeBin {
  std::size_t first = 0, last = 0;
  std::vector<ReliabilityBin> parts;
};
std::vector<LeadTimeBin> reliability_within(std::span<const Track> tracks, int lead_times, int parts);

}  // namespace cvf::metrics
