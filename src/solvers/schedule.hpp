// When states are, the times at which each is wanted, and what a velocity is asked on the way.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "solvers/states.hpp"

namespace cvf::solvers {

struct Row;

struct Schedule {
  std::vector<double> start_times;           // for each sample
  std::vector<std::vector<double>> targets;  // for each sample, from its start on; may differ in number
  bool backward = false;                     // targets decrease from the start
  /// Times, increasing, that no step may pass over: where a control jumps. For each sample, or empty.
  std::vector<std::vector<double>> breaks{};

  std::size_t most_targets() const;
  /// Throws a UsageError or DataError that names the sample: counts that differ from that of the states,
  /// times that are not finite, before the start, out of order or double.
  void check(std::size_t states) const;
};

/// Throws a DataError that begins with `place` and names the sample: times that are not finite, before the
/// start, out of order or double.
void check_times(std::size_t sample, double start, const std::vector<double>& targets, bool backward = false,
                 std::string_view place = "");

/// Whose the states of a query are. Rows are packed while others are done, so the number of a state in the
/// batch says nothing; sample(k) does.
struct Askers {
  const std::vector<Row>* rows = nullptr;  // that are on their way
  std::span<const std::size_t> askers{};   // the row of each state; empty: state k belongs to row k
  double share = 0;                        // of the row's step: how far ahead of the row's time a state is
  std::span<const double> ahead{};         // the same in units of time, if not empty

  std::int64_t sample(std::size_t k) const;  // of the problem
  double time(std::size_t k) const;          // at which step k begins
};

/// What a velocity is asked for: states, and a step for each; no steps: the tangents.
struct BatchQuery {
  const Batch& state;
  std::span<const double> dt;
  Askers who;
};

/// The mean velocity of the states over their steps, as many and in the same units; in memory of its own.
using BatchVelocity = std::function<Batch(const BatchQuery&)>;

}  // namespace cvf::solvers
