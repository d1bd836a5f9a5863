// The forecasts behind the scores of an evaluation, kept as a file of `cvf rollout`'s layout: pictures that
// show what the table counts.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/source.hpp"
#include "evaluate/truth.hpp"

namespace cvf::evaluate {

class Kept {
 public:
  /// The first `most` samples are kept in memory.
  explicit Kept(std::size_t most = 0) : most_(most) {}

  /// `direct`: every frame was reached in a solve of its own; the steps of the last one stand for all.
  void take(const Truth& truth, const rollout::Forecast& forecast, bool direct);

  std::size_t samples() const { return samples_.size(); }
  void write(const std::string& file, const data::Source& source,
             std::vector<std::pair<std::string, std::string>> attributes) const;

 private:
  std::size_t most_;
  std::vector<std::size_t> samples_;
  rollout::Times times_;
  std::vector<torch::Tensor> states_;  // [T,C,...]
  std::vector<std::vector<rollout::Frame>> frames_;
  rollout::SampleContexts contexts_;
};

}  // namespace cvf::evaluate
