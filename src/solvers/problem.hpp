// What to integrate: states, when they are, and the times at which each is wanted.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/torch.hpp"

namespace cvf::solvers {

/// The mean velocity of state [R,...] over dt [R] (double), shaped as the state and in the same units of
/// state; dt = 0 asks for the tangent, a negative dt looks back. Returns a tensor of its own in every call.
using Velocity = std::function<torch::Tensor(const torch::Tensor& state, const torch::Tensor& dt)>;

struct Problem {
  torch::Tensor start;                       // [B,...] float or double
  std::vector<double> start_times;           // for each sample
  std::vector<std::vector<double>> targets;  // for each sample, from its start on; may differ in number
  bool backward = false;                     // targets decrease from the start

  std::int64_t samples() const { return start.size(0); }
  std::size_t most_targets() const;

  /// Throws a UsageError or DataError that names the sample: counts that differ, times that are not finite,
  /// before the start, out of order or double, states that are not finite.
  void check() const;
};

/// Throws a DataError that begins with `place` and names the sample: times that are not finite, before the
/// start, out of order or double.
void check_times(std::size_t sample, double start, const std::vector<double>& targets, bool backward = false,
                 std::string_view place = "");

/// All samples start at `start_time` and want the same targets.
Problem common_times(const torch::Tensor& start, double start_time, const std::vector<double>& targets);

/// times [B,T]: the first column is the start, the others are targets up to the first NaN.
Problem ragged_times(const torch::Tensor& start, const torch::Tensor& times);

}  // namespace cvf::solvers
