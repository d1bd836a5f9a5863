// The true frames that predictions are compared with, one group of samples at a time.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "data/trajectories.hpp"
#include "metrics/metric.hpp"
#include "rollout/protocols.hpp"
#include "rollout/tensors/model.hpp"

namespace cvf::evaluate {

/// How much of a file is looked at, and how many samples at a time.
struct Viewing {
  int frames = 0;     // predicted frames; 0 = to the end of each sample
  int together = 16;  // samples in a group
  int every = 1;      // looks at every so many frames of the file: its training grid, say
  int copies = 1;     // of the states that a forecast holds: each member's
};

/// Shorter samples are filled up with their last frame, which nobody reads.
struct Truth {
  std::vector<std::size_t> samples;
  rollout::Times times;
  torch::Tensor states;  // [B,T,C,...]
  rollout::SampleContexts contexts = {};

  std::size_t rows() const { return samples.size(); }
  std::size_t most_frames() const;
  std::vector<std::int64_t> rows_with(std::size_t frame) const;
  rollout::StateArray start() const { return rollout::array_of(states.select(1, 0)); }

  /// What a metric compares at one frame: the samples that have it, and `predicted` [B,C,...] of all rows.
  metrics::Frame frame(std::size_t index, const torch::Tensor& predicted) const;

  /// The RMSE of each frame of a row of `predicted` [B,T,C,...], over all its values.
  std::vector<double> errors(const torch::Tensor& predicted, std::size_t row) const;
};

class TruthReader {
 public:
  /// Refers to the source.
  TruthReader(const data::Source& source, const Viewing& viewing);

  /// A DataError names the sample that has a single frame to look at, times out of order, or a value that is
  /// not finite.
  Truth read(std::span<const std::size_t> samples);

 private:
  void check_resources(std::span<const std::size_t> samples) const;
  std::size_t frames_of(const data::Trajectory& whole, std::size_t sample) const;

  Viewing viewing_;
  data::Trajectories trajectories_;
};

}  // namespace cvf::evaluate
