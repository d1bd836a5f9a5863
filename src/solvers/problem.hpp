// What to integrate: states, when they are, and the times at which each is wanted.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/torch.hpp"

namespace cvf::solvers {

struct Row;

/// What a velocity is asked for: states [K,...], a step for each [K] (double), and whose they are. Rows are
/// packed while others are done, so the number of a state in the batch says nothing; sample(k) does.
struct Query {
  const torch::Tensor& state;
  const torch::Tensor& dt;
  const std::vector<Row>* rows = nullptr;  // that are on their way
  std::span<const std::size_t> askers{};   // the row of each state; empty: state k belongs to row k
  double share = 0;                        // of the row's step: how far ahead of the row's time a state is
  std::span<const double> ahead{};         // the same in units of time, if not empty

  std::int64_t sample(std::size_t k) const;  // of the problem
  double time(std::size_t k) const;          // at which step k begins
};

/// The mean velocity of the states over their steps, shaped as the states and in the same units; dt = 0 asks
/// for the tangent, a negative dt looks back. Returns a tensor of its own in every call. A function of
/// (state, dt) is a velocity that does not care who asks.
class Velocity {
 public:
  Velocity() = default;
  template <class Function>
  requires(!std::is_same_v<std::remove_cvref_t<Function>, Velocity>) Velocity(Function function) {
    if constexpr (std::is_invocable_v<Function, const Query&>) {
      function_ = std::move(function);
    } else {
      function_ = [function = std::move(function)](const Query& q) { return function(q.state, q.dt); };
    }
  }
  torch::Tensor operator()(const Query& query) const { return function_(query); }
  torch::Tensor operator()(const torch::Tensor& state, const torch::Tensor& dt) const {
    return function_({state, dt});
  }
  explicit operator bool() const { return static_cast<bool>(function_); }

 private:
  std::function<torch::Tensor(const Query&)> function_;
};

struct Problem {
  torch::Tensor start;                       // [B,...] float or double
  std::vector<double> start_times;           // for each sample
  std::vector<std::vector<double>> targets;  // for each sample, from its start on; may differ in number
  bool backward = false;                     // targets decrease from the start
  /// Times, increasing, that no step may pass over: where a control jumps. For each sample, or empty.
  std::vector<std::vector<double>> breaks{};

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
