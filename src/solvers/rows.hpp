// The rows that are still on their way, packed, and the only door to the velocity: it counts.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "solvers/schedule.hpp"
#include "solvers/solution.hpp"

namespace cvf::solvers {

struct Row {
  std::int64_t sample = 0;
  double time = 0, direction = 1;
  double goal = 0;       // the time of the next target
  double interval = 0;   // from the last target (or the start) to the next; to the last one, where steps pass
                         // targets
  double remaining = 0;  // of it. A state of its own, so that its end is met without rounding
  double wanted = 0;     // the step that the method would like next
  double step = 0;       // the step on trial: wanted, or cut to end on the target
  double error = std::numeric_limits<double>::quiet_NaN();  // of the trial
  std::size_t target = 0;                                   // the next one
  std::int64_t trials = 0;                                  // since the last target
  bool cut = false;                                         // step == remaining
  std::size_t inside = 0;                                   // targets that the step on trial passes
  bool lands = false;                                       // it ends on the target behind these
  bool midway = false;  // it ends in the middle of a step of another way, so targets there are inside, too
  double stop_at = std::numeric_limits<double>::quiet_NaN();  // a break of the problem that the step ends on
  bool at_break =
      false;  // the last accepted step ended on a break: the tangent at its end is not that of the next
  bool accepted = false, finished = false;
  Counts counts;
  RowStatus row_status, status_here;  // of the whole way, and since the last target

  double signed_step() const { return direction * step; }
  /// Where the step on trial ends.
  double end() const {
    if (cut || lands) return goal;
    return std::isnan(stop_at) ? time + signed_step() : stop_at;
  }
  /// The step says nothing about how long a step could have been.
  bool shortened() const { return cut || !std::isnan(stop_at); }
  void worsen(Status status) {
    row_status.worsen(status, time, step);
    status_here.worsen(status, time, step);
  }
  void stop(Status status) {
    worsen(status);
    accepted = false;
    finished = true;
  }
};

struct Rows {
  Batch state;      // [R, values]
  Batch candidate;  // [R, values] where the trial leads; after keep: where accepted rows came from
  std::vector<Row> all;
  std::int64_t asked_of_all = 0;  // evaluations of every row that `counts` do not hold yet

  std::size_t size() const { return all.size(); }
  std::size_t values() const { return state->values(); }  // of one row
};

class Evaluator {
 public:
  Evaluator(BatchVelocity velocity, Rows& rows) : velocity_(std::move(velocity)), rows_(rows) {}

  /// The velocity of K states over K steps; state k belongs to row payers[k] and stands ahead[k] (or not at
  /// all, where that is empty) ahead of its time.
  Batch ask(const Batch& states, std::span<const double> dt, std::span<const std::size_t> payers,
            std::span<const double> ahead = {});

  /// The tangents of states, one for each row, at `share` of its step, or `ahead` of its time.
  Batch tangent(const Batch& states, double share, std::span<const double> ahead = {});

 private:
  BatchVelocity velocity_;
  Rows& rows_;
};

}  // namespace cvf::solvers
