// Rollouts of the validation samples while a run trains: the best model is the one whose whole trajectories
// are closest to the truth, on every frame of the source and on the training grid, not the one with the
// lowest loss. Errors are measured twice: each channel in units of its spread over these samples, and all
// channels in physical units (L_tau).
#pragma once

#include "model/trained_model.hpp"
#include "objectives/objective.hpp"
#include "train/distributed/process_group.hpp"
#include "train/journal.hpp"
#include "train/run_data.hpp"

namespace cvf::train {

/// Errors of time-informed rollouts of the validation samples; negative: not known. A model that fits the
/// steps of training may drift on shorter ones, and the other way round, so both count.
struct RolloutErrors {
  double every_frame = -1;    // of the source
  double training_grid = -1;  // on the frames that training sees

  double mean() const { return (every_frame + training_grid) / 2; }
  bool known() const { return every_frame >= 0 && training_grid >= 0; }
};

/// A sentence that says which of the models in a run's folder to take for what, when the last one is better
/// than the best by one of the errors; otherwise empty: the best.
std::string advice(const RolloutErrors& best, const RolloutErrors& last, const std::string& folder);

struct Verdict {
  RolloutErrors errors;      // L_tau: "rollout_rmse"
  RolloutErrors normalized;  // each channel in units of its spread: "normalized_rmse"
  double evaluations = 0;    // of psi for each frame of the source
  double diverged = 0;       // rollouts that went non-finite; then there is no error

  bool comparable() const { return diverged == 0; }
  const RolloutErrors& by(const std::string& metric) const {
    return metric == "rollout_rmse" ? errors : normalized;
  }
  Numbers numbers() const;
};

class Validation {
 public:
  Validation(const RunData& run_data, const RunOptions& options);

  bool wanted() const { return !every_frame_.truths.empty(); }
  /// Interrupted, on every rank, when a signal reached one of them.
  Verdict judge(const model::TrainedModel& model, ProcessGroup& group) const;

  /// Normalised errors on every frame of forecasts that need no training; the mean state is the normalizer's.
  struct Baselines {
    double persistence = -1, mean_state = -1;  // negative: there are no samples
    double change = -1;  // of persistence over the longest step of training, from the first frame
  };
  Baselines baselines(const model::TrainedModel& model) const;

 private:
  struct Truth {
    torch::Tensor frames;  // [T,C,...]
    std::vector<double> times;
    SampleContextPointer context;
  };
  struct Grid {
    std::vector<Truth> truths;
    std::size_t longest = 0;  // frames

    void add(Truth truth);
  };
  struct Sums;
  void measure_spread();
  void add_kept(std::size_t sample, std::size_t source_frames, const RunOptions& options);
  Sums sums_over(const Grid& grid, const model::TrainedModel& model, ProcessGroup& group) const;
  void add_share(Sums& sums, const Grid& grid, const model::TrainedModel& model, std::size_t rank,
                 std::size_t size) const;

  std::int64_t longest_step_ = 1;     // of training, in frames of its grid
  Grid every_frame_, training_grid_;  // the second is empty where it is the same as the first
  torch::Tensor units_;               // [C,1,...]: the spread of each channel over every_frame_
  std::unique_ptr<solvers::Solver> solver_;
};

// How consistent a field is while it trains: the rupture, its two terms, and the NRE that would steer the
// solver.

/// rupture_rms, the shares of Term I (time mismatch), Term II (convective curvature) and the remainder (norm
/// of each over the sum of the three norms: the terms themselves nearly cancel in a good field), and the
/// quantiles nre_{step}_{10,50,90} over the batch at steps of 1/4, 1/2, 1 and 2 times dt_ref. Looks at the
/// first rows of the batch only.
Numbers diagnose(const objectives::ScaledField& field, const objectives::Batch& batch, double dt_ref);

}  // namespace cvf::train
