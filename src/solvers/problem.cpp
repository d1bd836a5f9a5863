#include "solvers/problem.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "solvers/parts/algebra.hpp"

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

std::size_t Problem::most_targets() const {
  std::size_t most = 0;
  for (const auto& times : targets) most = std::max(most, times.size());
  return most;
}

void Problem::check() const {
  if (!start.defined() || start.dim() < 2 || !start.is_floating_point()) {
    throw UsageError("a start must be floating-point states [B,...], one row for each sample");
  }
  const auto count = static_cast<std::size_t>(samples());
  if (start_times.size() != count || targets.size() != count) {
    throw UsageError("{} states have {} start times and {} lists of targets", count, start_times.size(),
                     targets.size());
  }
  if (!breaks.empty() && breaks.size() != count) {
    throw UsageError("{} states have {} lists of breaks", count, breaks.size());
  }
  for (std::size_t i = 0; i < count; ++i) check_times(i, start_times[i], targets[i], backward);
  const auto finite = finite_rows(start.contiguous());
  const auto bad = std::find(finite.begin(), finite.end(), char{0});
  if (bad != finite.end()) {
    throw DataError("sample {}: its initial state is not finite", bad - finite.begin());
  }
}

Problem common_times(const torch::Tensor& start, double start_time, const std::vector<double>& targets) {
  const auto count = static_cast<std::size_t>(start.size(0));
  return {start, std::vector<double>(count, start_time), std::vector(count, targets)};
}

Problem ragged_times(const torch::Tensor& start, const torch::Tensor& times) {
  if (times.dim() != 2 || times.size(0) != start.size(0) || times.size(1) < 1) {
    throw UsageError("times must be [B,T], a row for each of the {} states", start.size(0));
  }
  Problem out{start, {}, {}};
  const torch::Tensor host = times.to(torch::kCPU, torch::kDouble).contiguous();
  const auto width = static_cast<std::size_t>(host.size(1));
  for (std::int64_t i = 0; i < host.size(0); ++i) {
    const double* first = host.data_ptr<double>() + i * host.size(1);
    const double* end = std::find_if(first, first + width, [](double t) { return std::isnan(t); });
    out.start_times.push_back(*first);
    out.targets.emplace_back(first == end ? end : first + 1, end);
  }
  return out;
}

}  // namespace cvf::solvers
