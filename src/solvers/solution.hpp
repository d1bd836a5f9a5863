// How a row's integration went: status, counts, steps. Numerical trouble is a status of its sample, never an
// exception.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cvf::solvers {

/// By their numbers in files and in the C interface; `severity` orders them from good to bad.
enum class Status {
  done,
  at_floor,         // somewhere no step was acceptable: the least one was taken, with a tolerance the best
  too_many_probes,  // somewhere the search for a step was cut off, likewise
  too_many_steps,
  step_underflow,  // the step became too short to change the time
  non_finite,
  outside_training,  // reached, by states or steps far outside of what the model was trained on
};
inline constexpr int num_statuses = 7;

constexpr int severity(Status status) {
  return status == Status::outside_training ? 2 * static_cast<int>(Status::too_many_probes) + 1
                                            : 2 * static_cast<int>(status);
}
constexpr bool reaches_target(Status status) {
  return severity(status) <= severity(Status::outside_training);
}
std::string_view name(Status status);

/// The worst that happened to a row, and where it happened first.
struct RowStatus {
  Status status = Status::done;
  double time = 0, step = 0;

  void worsen(Status other, double at, double with_step) {
    if (severity(other) > severity(status)) *this = {other, at, with_step};
  }
};

/// One sentence that names sample, time and step.
std::string sentence(std::int64_t sample, const RowStatus& row_status);

/// Evaluations of the velocity and steps of one sample, from its start on.
struct Counts {
  std::int64_t evaluations = 0, accepted = 0, rejected = 0;
};

/// A target: what had been spent when it was reached (or given up), and what happened on the way to it from
/// the target before.
struct TargetRecord {
  Counts counts;
  RowStatus row_status;
};

/// An accepted step: from `time` on. `error` is what the method judged it by (the NRE of gcs, the ratio of
/// error and tolerance of an embedded pair), NaN where it did not.
struct Step {
  double time, step, error;
};

/// How every sample went.
struct Outcome {
  std::vector<Counts> counts;                             // [B]
  std::vector<RowStatus> statuses;                        // [B], the worst of the whole way
  std::vector<std::vector<TargetRecord>> target_records;  // [B][targets]
  std::vector<std::vector<Step>> steps;  // [B], accepted steps in order; empty unless asked for
};

}  // namespace cvf::solvers
