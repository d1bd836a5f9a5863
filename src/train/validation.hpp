// Rollouts of the validation samples while a run trains: the best model is the one whose whole trajectories
// are closest to the truth, on every frame of the source and on the training grid, not the one with the
// lowest loss.
#pragma once

#include "model/trained_model.hpp"
#include "train/distributed/process_group.hpp"
#include "train/journal.hpp"
#include "train/run_data.hpp"

namespace cvf::train {

struct Verdict {
  RolloutErrors errors;
  double evaluations = 0;  // of psi for each frame of the source
  double diverged = 0;     // rollouts that went non-finite; then there is no error

  bool comparable() const { return diverged == 0; }
  Numbers numbers() const;
};

class Validation {
 public:
  Validation(const RunData& run_data, const RunOptions& options);

  bool wanted() const { return !every_frame_.truths.empty(); }
  /// Interrupted, on every rank, when a signal reached one of them.
  Verdict judge(const model::TrainedModel& model, ProcessGroup& group) const;

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
  void add_kept(std::size_t sample, std::size_t source_frames, const RunOptions& options);
  Sums sums_over(const Grid& grid, const model::TrainedModel& model, ProcessGroup& group) const;
  void add_share(Sums& sums, const Grid& grid, const model::TrainedModel& model, std::size_t rank,
                 std::size_t size) const;

  Grid every_frame_, training_grid_;  // the second is empty where it is the same as the first
  std::unique_ptr<solvers::Solver> solver_;
};

}  // namespace cvf::train
