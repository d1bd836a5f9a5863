// What a model must beat to have learned anything: the state stays as it was (persistence), or is the mean
// state of the training data at all times. Scored by the metrics of the model, on the same samples and
// frames.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "evaluate/truth.hpp"
#include "metrics/scoreboard.hpp"

namespace cvf::evaluate {

struct MeanState {
  torch::Tensor value;  // [1,C,1,...] or [1,C,...]
  std::string about;    // where it comes from
};

/// Cell by cell, over all frames of the file of up to 256 of these samples, spread evenly.
MeanState mean_of_samples(const data::Source& source, std::span<const std::size_t> training);

/// One number a channel: the running mean over training batches that the model keeps.
MeanState mean_of_normalizer(const rollout::Model& model, std::int64_t dimensions);

struct Baseline {
  std::string name;   // "persistence", "mean_state"
  std::string about;  // a sentence
  std::vector<metrics::Score> scores;
};

class Baselines {
 public:
  /// `names`: metrics of states. An undefined mean is left out. `one_step`: persistence keeps the true frame
  /// before, else the given one.
  Baselines(std::span<const std::string> names, const metrics::Setting& setting, MeanState mean,
            bool one_step);

  void add(const Truth& truth);
  std::vector<Baseline> results() const;

 private:
  MeanState mean_;
  bool one_step_;
  metrics::Scoreboard persistence_, mean_state_;
};

}  // namespace cvf::evaluate
