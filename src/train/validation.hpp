// Rollouts of the validation samples while a run trains: the best model is the one whose whole trajectories
// are closest to the truth, on every frame of the source, not the one with the lowest loss.
#pragma once

#include "model/trained_model.hpp"
#include "train/journal.hpp"
#include "train/materials.hpp"
#include "train/team/team.hpp"

namespace cvf::train {

struct Verdict {
  double rollout_error = 0;  // L_tau, time-informed
  double evaluations = 0;    // of psi for each frame
  double diverged = 0;       // samples that went non-finite

  bool comparable() const { return diverged == 0; }
  Numbers numbers() const;
};

class Validation {
 public:
  Validation(const Materials& materials, const RunOptions& options);

  bool wanted() const { return !samples_.empty(); }
  Verdict judge(const model::TrainedModel& model, Team& team) const;

 private:
  std::shared_ptr<const data::Source> source_;
  std::vector<std::size_t> samples_;
};

}  // namespace cvf::train
