// What a user names as RUN, opened for a verb: its model in the runtime where that can compute it, else in
// tensors; and what its run was told.
#pragma once

#include "data/data_options.hpp"
#include "data/splits.hpp"
#include "rollout/model.hpp"
#include "solvers/solver.hpp"

namespace cvf::cli {

/// What a run file says of the data that it learned from.
struct TrainedOn {
  std::string seed;
  data::DataOptions data;
  data::SplitOptions split;
  data::DownsamplingOptions downsampling;
};

struct OpenedRun {
  rollout::ModelPointer model;
  std::string path;                // where the model was found
  std::string checkpoint;          // SHA-256 of its manifest, and so of everything in it
  std::string run_toml;            // the resolved configuration that it was trained with
  std::string objective;           // that it was trained for; empty when unknown
  solvers::Choice solver = "gcs";  // of run.toml, with its settings there; else what suits the objective
  std::shared_ptr<const solvers::StepErrors> step_errors;  // null: not learned for this checkpoint

  TrainedOn trained_on() const;
};

/// A model's folder, or a run's: its best, else its last model.
OpenedRun open_run(const std::string& path);

/// The same in tensors. The program without LibTorch becomes the one with it instead.
OpenedRun open_on_tensors(const std::string& path);

}  // namespace cvf::cli
