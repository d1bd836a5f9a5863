// How a state is stepped through time. A Solver holds the options; its Stepper holds what one integration
// remembers of its rows and says how long a step to try, where it leads, and whether it is good enough. The
// loop around it (integrate) does everything else.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "core/registry.hpp"
#include "core/scores.hpp"
#include "solvers/rows.hpp"
#include "solvers/step_errors.hpp"

namespace cvf::solvers {

class Stepper {
 public:
  virtual ~Stepper() = default;

  virtual void begin(Rows&, Evaluator&) {}
  /// Sets `wanted` of every row. The loop then cuts it to the target where it must.
  virtual void propose(Rows& rows) = 0;
  /// Evaluates the trial: rows.candidate and `error` of every row.
  virtual void attempt(Rows& rows, Evaluator& velocity) = 0;
  /// Sets `accepted`, or stops the row.
  virtual void judge(Rows& rows) = 0;
  /// After accepted rows have moved: what the trial says about the next step.
  virtual void resize(Rows& rows) = 0;
  /// Rows with these numbers go on, in this order; the others are gone.
  virtual void pack(std::span<const std::size_t>) {}
  /// The state at `share` (0..1) of the step that row `i` has just made, into row 0 of `out`. Only for
  /// steppers whose solver interpolates.
  virtual void interpolate(const Rows&, std::size_t /*i*/, double /*share*/, States& /*out*/) {}
};

/// How a state at a target comes about.
enum class AtTargets {
  end_step,     // steps are cut to end there
  interpolate,  // inside a step, at no cost: targets change nothing about the steps
  evaluate,     // inside a step, by the mean velocity from its beginning to the target: one evaluation
  in_halves,    // the same in two halves, so two evaluations
};

/// Of the option `dense` of solvers that step along the mean velocity.
inline constexpr std::string_view dense_meaning =
    "targets inside a step get an evaluation each, from its beginning; false, or no longest step known: "
    "steps "
    "are cut to end on them";

class Solver {
 public:
  virtual ~Solver() = default;
  virtual std::unique_ptr<Stepper> start() const = 0;

  virtual AtTargets at_targets() const { return AtTargets::end_step; }
  /// Its steps are s + h psi(s, h), so that an NRE and halves of a step say something of them.
  virtual bool steps_along_secants() const { return false; }
  /// All rows take the same steps; they must have the same times.
  virtual bool shares_steps() const { return false; }
};

/// Whether its steps go along the mean velocity past targets, so that only breaks of the schedule end them.
inline bool passes_targets(const Solver& solver) {
  return solver.at_targets() == AtTargets::evaluate || solver.at_targets() == AtTargets::in_halves;
}

/// What a solver takes from the model that it steps, unless its options say otherwise; 0 = unknown.
struct Context {
  double delta_min = 0;                                     // spacing of the source frames
  double largest_step = 0;                                  // longest one that training saw often
  double time_unit = 1;                                     // of absolute epsilons of velocities and times
  std::shared_ptr<const StepErrors> step_errors = nullptr;  // that was learned for the model, if it was
};

using Settings = SettingsOf<std::unique_ptr<Solver>, const Context&>;

struct Entry {
  static constexpr std::string_view kind = "solver";
  std::string_view name;
  std::string_view summary;
  int order;     // of accuracy on a tangent field; 1 for those that step a secant field exactly
  bool tangent;  // asks for dt = 0 only
  std::unique_ptr<Settings> (*settings)();
};

/// Every solver (registry.cpp).
std::span<const Entry> registry();
using Choice = cvf::Choice<registry>;

/// The solver called `name` with its default options.
std::unique_ptr<Solver> make(std::string_view name, const Context& context = {});

// The loop: propose, judge, keep, record, resize; each row on its own clock. Rows that are done are packed
// away and never evaluated. A row's answer does not depend on its batch mates (but for solvers that share
// steps).

/// Takes the state in this row when its target is reached.
using BatchSink =
    std::function<void(std::int64_t sample, std::size_t target, const States& states, std::size_t row)>;

struct Recording {
  bool steps = false;                // keep every accepted step in Outcome::steps
  std::int64_t max_steps = 100'000;  // trials between two targets, then the row gives up
};

/// The schedule fits the states, and these are finite; else a UsageError or DataError names the sample.
void check_start(const States& start, const Schedule& schedule);

/// From `start`, which stays as it is.
Outcome integrate(const Solver& solver, BatchVelocity velocity, const Batch& start, const Schedule& schedule,
                  const BatchSink& sink, const Recording& recording = {});

/// A way that was gone before, once more with every step in two halves: where both lead to the same place,
/// the step was short enough. For solvers that step along the mean velocity, s + h psi(s, h). steps[i]: the
/// lengths of the accepted steps of sample i of the problem, in order.
std::unique_ptr<Solver> half_steps(std::vector<std::vector<double>> steps);

/// Such a way once more in the same steps, each judged by its NRE (Step::error): three evaluations a step.
std::unique_ptr<Solver> judged_steps(std::vector<std::vector<double>> steps, double eta = nre_eta);

/// Whether gcs with its usual settings would have taken such a step, rather than a shorter one.
bool gcs_takes(double nre, double step, double delta_min);

}  // namespace cvf::solvers
