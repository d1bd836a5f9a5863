// A trained model as something that a solver can step, in model units.
#pragma once

#include "rollout/model.hpp"
#include "solvers/solver.hpp"

namespace cvf::rollout {

struct Setup {
  ModelPointer model;
  const solvers::Solver& solver;
  std::size_t memory = std::size_t{512} << 20;  // bytes that one batch of rows may take, about
  bool any_spacing = false;                     // a grid of another spacing than the model's is taken
  const char* kept = nullptr;  // if set, a signal ends the solve: Interrupted, "interrupted; " and this
};

/// How many rows may go together. An estimate: the stages of a solver and the activations of a network come
/// to about a hundred times the state. Solvers that share steps are never divided.
std::size_t micro_batch_rows(const Setup& setup, const solvers::States& states);
/// The same in samples, each with a row for every member.
std::size_t micro_batch_samples(const Setup& setup, const solvers::States& states);

/// A model made ready for some samples: on their grid, under their contexts. Refers to the setup.
class Prepared {
 public:
  /// For states like `like` [B,C,...], one context for each. A ModelError for states of another shape than
  /// the model's, a DataError for contexts that do not fit.
  Prepared(const Setup& setup, const StateArray& like, SampleContexts contexts);

  const Setup& setup() const { return setup_; }
  std::size_t members() const { return members_; }

  /// Physical states in model units, a row for each; and back.
  Batch to_model(const StateArray& states) const { return stepping_->to_model(*states.rows); }
  void to_physical(const Batch& from, const StateArray& to) const { stepping_->to_physical(*from, *to.rows); }

  /// The velocity of a solve whose row i is member rows[i] % members of sample rows[i] / members. If the
  /// setup hears signals, many rows are evaluated in micro-batches of about a second at most, with a look at
  /// the signal before each. Refers to this.
  solvers::BatchVelocity velocity(std::vector<std::int64_t> rows) const;

  /// A DataError where the controls of a sample are not known from `from` to `to`.
  void check_covers(std::size_t sample, double from, double to) const;
  /// Makes the steps of these rows end where a control of their sample jumps; steps that pass targets, which
  /// see it at a few nodes, also where it bends.
  void add_breaks(solvers::Schedule& schedule, std::span<const std::int64_t> rows) const;

 private:
  Batch ask(const Asked& asked) const;

  const Setup& setup_;
  SampleContexts contexts_;
  std::vector<std::vector<double>> breaks_;  // of each sample
  std::size_t members_;
  std::unique_ptr<Stepping> stepping_;
  std::size_t together_;  // rows of a micro-batch
};

}  // namespace cvf::rollout
