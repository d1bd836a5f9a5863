// How a row's integration went. Numerical trouble is a status of its sample, never an exception.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cvf::solvers {

/// From good to bad. The first three reach their targets, the others stop.
enum class Status {
  done,
  at_floor,         // somewhere the method wanted a shorter step than its least one, and took that
  too_many_probes,  // somewhere the search for a step was cut off, and the least step was taken
  too_many_steps,
  step_underflow,  // the step became too short to change the time
  non_finite,
};

constexpr bool reaches_target(Status status) {
  return status <= Status::too_many_probes;
}
std::string_view name(Status status);

/// The worst that happened to a row, and where it happened first.
struct RowStatus {
  Status status = Status::done;
  double time = 0, step = 0;

  void worsen(Status other, double at, double with_step) {
    if (other > status) *this = {other, at, with_step};
  }
};

/// One sentence that names sample, time and step.
std::string sentence(std::int64_t sample, const RowStatus& row_status);

}  // namespace cvf::solvers
