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
  double diverged = 0;       // samples that went non-finite; then there is no error

  bool comparable() const { return diverged == 0; }
  Numbers numbers() const;
};

class Validation {
 public:
  Validation(const Materials& materials, const RunOptions& options);

  bool wanted() const { return !truths_.empty(); }
  /// Interrupted, on every rank, when a signal reached one of them.
  Verdict judge(const model::TrainedModel& model, Team& team) const;

 private:
  struct Truth {
    torch::Tensor frames;  // [T,C,...]
    std::vector<double> times;
  };
  struct Sums;
  void add_share(Sums& sums, const model::TrainedModel& model, std::size_t rank, std::size_t size) const;

  std::vector<Truth> truths_;
  std::size_t longest_ = 0;  // frames
  std::unique_ptr<solvers::Solver> solver_;
};

}  // namespace cvf::train
