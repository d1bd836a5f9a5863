// Where the samples of a forecast are outside of what their model was trained on: states beyond the range of
// their channels, steps beyond the longest.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/spec_of.hpp"
#include "solvers/solution.hpp"

namespace cvf::runtime {

/// Empty for models that store no ranges. A value is outside when it is beyond the training range by more
/// than the width of that range, a step when it is longer than twice the longest one of training.
class Departures {
 public:
  /// `steps`: whether the model's field is conditioned on its step.
  Departures(const model::StateFacts& facts, std::size_t samples, bool steps);

  /// The state [C, cells] of frame `frame` in physical units; frame 0 is the given one.
  template <class T>
  void add_state(std::size_t sample, std::size_t frame, double time, std::span<const T> state);
  /// The accepted steps on the way through `times`, the start first.
  void add_steps(std::size_t sample, std::span<const double> times, std::span<const solvers::Step> steps);

  /// Worsens the status of a frame that is outside, or that a step outside leads to.
  void mark(std::size_t sample, std::size_t frame, solvers::RowStatus& row_status) const;
  /// The first departure in words; empty: there is none.
  const std::string& message(std::size_t sample) const { return samples_[sample].message; }

 private:
  struct Sample {
    std::string message;
    std::map<std::size_t, double> times;  // of the frames that are outside
  };
  void add(std::size_t sample, std::size_t frame, double time, const std::string& what);

  std::vector<std::string> channels_;
  std::vector<double> lowest_, highest_;  // of training
  double longest_step_;                   // infinite where steps are not checked
  std::vector<Sample> samples_;
};

}  // namespace cvf::runtime
