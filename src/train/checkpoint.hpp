// Checkpoints of a run: DIR/checkpoints/step-000001000, each a model's folder with what training needs to go
// on; DIR/last points to the newest.
//
// A checkpoint appears by one rename of a complete, synced folder, and older ones are removed only after
// that. Death at any moment leaves at least one whole checkpoint, and `newest` finds it.
#pragma once

#include <optional>
#include <string>

#include "data/loader.hpp"
#include "model/trained_model.hpp"
#include "train/distributed/process_group.hpp"
#include "train/optimizer.hpp"
#include "train/run_data.hpp"
#include "train/validation.hpp"

namespace cvf::train {

/// Where a run stands. Random draws depend on the seed and on counts, so counts are all there is to keep.
struct Position {
  std::int64_t step = 0;                     // of the optimizer
  data::Cursor cursor;                       // of the next batch
  std::int64_t batches = 0;                  // seen, over all epochs
  double seconds = 0;                        // of training before now
  double best_error = -1;                    // the mean of both errors by best_metric; negative: none yet
  std::string best_metric = "rollout_rmse";  // of a whole run; older checkpoints do not hold it
  RolloutErrors best, best_normalized;       // of validation
  std::int64_t best_step = 0;
  bool last_step_done = true;   // by a bound of the run; older checkpoints do not hold it
  bool validation_due = false;  // a signal came before the rollouts of this step were done
  std::int64_t batch = 0;       // loader.batch, for a resumed run to compare
  std::string data_hash;

  void describe(config::Section& section);
};

struct Checkpoint {
  std::string folder;
  Position position;
  model::folder::Files files;
};

/// Writes DIR/checkpoints/step-N (with averaged weights where there are such), points DIR/last to it, and
/// removes all but the newest `keep`.
void save_checkpoint(const std::string& run, const model::TrainedModel& model, Optimizer& optimizer,
                     const Position& position, int keep);

/// The second half of it, which a kill may have prevented: `last` points to the checkpoint of that step, and
/// older ones but the newest `keep` are gone, with what saves that were cut short left.
void settle_checkpoint(const std::string& run, std::int64_t step, int keep);

/// The newest whole checkpoint of a run; each damaged one that is skipped is named in a warning. Nothing when
/// the run has none; a ModelError when it has some and all are damaged.
std::optional<Checkpoint> newest_checkpoint(const std::string& run);

/// Puts a checkpoint back into a model and its optimizer.
void restore(const Checkpoint& checkpoint, model::TrainedModel& model, Optimizer& optimizer);

/// Bytes of one checkpoint, for the estimate before a run.
double checkpoint_bytes(const model::TrainedModel& model, const Optimizer& optimizer);

// Whether a command goes on with a run, whether the ranks mean the same one, and what the run's files say
// about the programs behind it.

/// Throws a ConfigError that names the first setting that differs from those of the checkpoint. Settings that
/// change no number (how often to log or save, memory) may differ, and so may the length of the run.
void check_same_run(const Checkpoint& checkpoint, const std::string& run_toml);

/// The same for the ranks of a group: a ConfigError on every one that names the first setting in which one of
/// them differs from rank 0. The paths of the data and what each machine gives to the loader may differ.
void check_same_settings(ProcessGroup& group, const std::string& run_toml);

/// The data as they are, whatever the file is called.
void check_same_data(ProcessGroup& group, const RunData& run_data);

/// Ranks on machines that do not share the run's folder would go on from different places.
void check_same_start(ProcessGroup& group, const std::optional<Checkpoint>& checkpoint);

/// cvf, compiler, LibTorch and threads, a line each.
std::string versions();

}  // namespace cvf::train
