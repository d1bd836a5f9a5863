// What is wrong with a data file before anyone trains on it: broken numbers, dead channels, copies, leakage
// between splits, odd time grids, frames that say nothing about the next. Reads every value once; memory
// stays bounded by a few frames and a digest for each sample.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/noise.hpp"
#include "data/source.hpp"
#include "data/splits.hpp"

namespace cvf::data {

enum class Severity {
  fault,   // training or a result on this file would be wrong
  remark,  // worth knowing
};

struct Finding {
  std::string kind;  // "non-finite", "duplicate initial frames", ...
  Severity severity = Severity::fault;
  std::string sentence;
  std::vector<std::size_t> samples;  // those concerned
};

struct ChannelRange {
  double low = 0, high = 0, mean = 0, deviation = 0;  // over the finite values
  std::size_t missing = 0;                            // values that are missing, NaN or infinite
};

struct Audit {
  std::size_t samples = 0;
  std::size_t initial_classes = 0;     // distinct first frames
  std::size_t trajectory_classes = 0;  // distinct trajectories
  std::size_t largest_class = 0;       // copies of the most frequent trajectory
  std::size_t leaked_test = 0;         // test samples with a twin in training
  std::size_t leaked_validation = 0;
  double frame_correlation = 0;      // of neighbouring frames, see resemblance
  std::vector<ChannelRange> ranges;  // for each channel
  std::vector<ChannelNoise> noise;   // for each channel
  std::vector<Finding> findings;

  bool clean() const;  // no fault
};

struct AuditOptions {
  double near =
      1e-3;  // first frames closer than this share of their own variation are near-duplicates; 0 = off
};

Audit audit(const Source& source, const Splits& splits, const AuditOptions& options = {});

// Checks of the audit that look at times and at neighbours; each adds its findings.

/// To a thousandth, which is how exact stamps in float32 are.
bool evenly_spaced(const std::vector<double>& times);

/// Does one frame say anything about the next? Names noise, and axes n and t the other way round.
void check_resemblance(const Source& source, Audit& audit);

/// The noise of each channel; a remark where it is above a tenth of the channel's spread.
void check_noise(const Source& source, Audit& audit);

/// Attributes such as dt or dx that contradict the times or coordinates.
void check_spacings(const Source& source, Audit& audit);

// How much neighbours of a file resemble each other: frames, samples, cells. In a trajectory a frame
// resembles the next one; where it does not, the axes may not be what they were said to be, or the values are
// noise.

/// Pearson correlations over pairs of values of the same channel, mean over the channels that vary, from a
/// few samples; NaN where there are no pairs.
struct Resemblance {
  double next_frame = 0, second_frame = 0;  // of a cell in one frame and in the next, and the one after that
  double next_sample = 0;                   // of a cell in the same frame of two neighbouring samples
  double next_cell = 0;                     // of neighbouring cells of a row in one frame
};

Resemblance resemblance(const Source& source);

}  // namespace cvf::data
