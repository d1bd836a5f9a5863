#include "solvers/schedule.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"

namespace cvf::solvers {

void check_times(std::size_t sample, double start, const std::vector<double>& targets, bool backward,
                 std::string_view place) {
  if (!std::isfinite(start)) throw DataError("{}sample {}: its start time is {}", place, sample, start);
  double last = start;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double t = targets[i];
    if (!std::isfinite(t)) throw DataError("{}sample {}: target time {} is {}", place, sample, i, t);
    const double ahead = backward ? last - t : t - last;
    if (i == 0 && ahead < 0) {
      throw DataError("{}sample {}: target time {} lies {} its start at {}", place, sample, t,
                      backward ? "after" : "before", start);
    }
    if (i > 0 && ahead == 0) throw DataError("{}sample {}: target time {} is there twice", place, sample, t);
    if (i > 0 && ahead < 0) {
      throw DataError("{}sample {}: target time {} comes after {}; targets must {}", place, sample, t, last,
                      backward ? "decrease" : "increase");
    }
    last = t;
  }
}

std::size_t Schedule::most_targets() const {
  std::size_t most = 0;
  for (const auto& times : targets) most = std::max(most, times.size());
  return most;
}

void Schedule::check(std::size_t count) const {
  if (start_times.size() != count || targets.size() != count) {
    throw UsageError("{} states have {} start times and {} lists of targets", count, start_times.size(),
                     targets.size());
  }
  if (!breaks.empty() && breaks.size() != count) {
    throw UsageError("{} states have {} lists of breaks", count, breaks.size());
  }
  for (std::size_t i = 0; i < count; ++i) check_times(i, start_times[i], targets[i], backward);
}

}  // namespace cvf::solvers
