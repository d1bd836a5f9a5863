// One optimizer step after the other: batch, loss, gradient, weights. Knows nothing of time, files or
// signals.
#pragma once

#include <memory>
#include <string>

#include "model/trained_model.hpp"
#include "train/distributed/process_group.hpp"
#include "train/feed.hpp"
#include "train/journal.hpp"
#include "train/optimizer.hpp"
#include "train/run_data.hpp"

namespace cvf::train {

// The normalizer's statistics during training: from a large sample before the first step, then following the
// batches. Ranks that share a batch follow the whole of it.

/// From the first rows of epoch 0, at most one epoch; the feed then starts again. Interrupted when a signal
/// reached one of the ranks.
void fit_statistics(normalizers::Normalizer& normalizer, Feed& feed, ProcessGroup& group);

void follow_statistics(normalizers::Normalizer& normalizer, const LocalBatch& local, ProcessGroup& group);

/// Widens the ranges of the channels by the frames of a batch that are finite.
void follow_range(model::StateFacts& state, const LocalBatch& local, ProcessGroup& group);

/// What one step saw; `stop` is whether any rank wished to.
struct StepResult {
  Numbers losses;   // total first, then the parts; means over members, ranks and accumulated batches
  double norm = 0;  // of the gradient, the longest of the members'
  double learning_rate = 0;
  bool stop = false;
};

/// The step went wrong: the loss or the gradient of a member is not finite. The learner still holds the
/// batch.
struct NotFinite {
  std::string what;
  std::int64_t member = 0;
};

/// The step was given up before it touched the weights: a signal came. The learner stands where it stood
/// before it.
struct Abandoned {};

class Learner {
 public:
  Learner(const RunOptions& options, const RunData& run_data, ProcessGroup& group);

  /// `factor` scales the learning rate, `progress` is the share of the run that is done. Throws NotFinite
  /// before it touches the weights, and Abandoned when a signal comes between the micro-batches of a long
  /// step.
  StepResult step(double factor, double progress = 1);

  model::TrainedModel model;
  std::unique_ptr<objectives::Objective> objective;
  Feed feed;
  Optimizer optimizer;
  std::int64_t batches = 0;  // seen, over all epochs

  // The batch at hand, for diagnostics and for the report of a failure.
  std::vector<data::RowId> ids;
  objectives::Batch batch;
  std::vector<objectives::Draws> draws;  // of each member

  objectives::ScaledField scaled_field(std::int64_t member = 0) const {
    return {model.field->member(member), *model.normalizer};
  }

  /// [begin, end) of the rows of a batch that go forward and backward together, one after the other.
  std::vector<std::pair<std::int64_t, std::int64_t>> micro_batches(std::int64_t rows) const;

 private:
  Numbers gradients(double progress);  // of the accumulated batches; their losses added up
  // The mean losses of the batch: total first, then the parts.
  Numbers learn(const LocalBatch& local, double progress, bool last);
  void draw(std::int64_t rows, double progress);
  void learn_rows(std::int64_t member, std::int64_t begin, std::int64_t end, Numbers& means);

  std::uint64_t seed_;
  std::int64_t global_batch_;
  int accumulate_;
  std::int64_t micro_batch_;  // rows that go forward and backward together; 0: the whole batch
  double rate_;
  ProcessGroup& group_;
};

// Memory and disk that a run will need, estimated before it starts: better refused in the first second than
// dead in the second hour.

struct Needed {
  double parameters = 0;   // bytes of the weights
  double copies = 5;       // weights, gradients, two moments, packed weights; one more when averaging
  double activations = 0;  // bytes of one step
  double loader = 0;       // bytes
  double checkpoint = 0;   // bytes of one
  int checkpoints = 0;     // kept, with the one being written and the best
};

Needed needed_for(const RunOptions& options, const RunData& run_data, const Learner& learner, int ranks);

/// Throws a ConfigError or DataError that says what is short and what would help. `available` < 0: asks the
/// system.
void check_resources(const Needed& needed, const std::string& folder, double available_memory = -1,
                     double available_disk = -1);

}  // namespace cvf::train
