// Tensors through time: what to integrate, the velocity, and what came of it.
#pragma once

#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/torch.hpp"
#include "solvers/solver.hpp"
#include "solvers/states.hpp"

namespace cvf::solvers {

/// What a velocity is asked for: states [K,...], a step for each [K] (double), and whose they are (Askers).
struct Query {
  const torch::Tensor& state;
  const torch::Tensor& dt;
  const std::vector<Row>* rows = nullptr;  // that are on their way
  std::span<const std::size_t> askers{};   // the row of each state; empty: state k belongs to row k
  double share = 0;                        // of the row's step: how far ahead of the row's time a state is
  std::span<const double> ahead{};         // the same in units of time, if not empty

  Askers who() const { return {rows, askers, share, ahead}; }
  std::int64_t sample(std::size_t k) const { return who().sample(k); }
  double time(std::size_t k) const { return who().time(k); }
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
  Schedule schedule() const { return {start_times, targets, backward, breaks}; }

  /// Throws a UsageError or DataError that names the sample: counts that differ, times that are not finite,
  /// before the start, out of order or double, states that are not finite.
  void check() const;
};

/// All samples start at `start_time` and want the same targets.
Problem common_times(const torch::Tensor& start, double start_time, const std::vector<double>& targets);

/// times [B,T]: the first column is the start, the others are targets up to the first NaN.
Problem ragged_times(const torch::Tensor& start, const torch::Tensor& times);

struct Solution : Outcome {
  torch::Tensor states;  // [B,T,...], NaN where not reached; undefined with a sink
};

/// Takes a state [1,...] when its target is reached: for long ways whose states should not be kept.
using Sink = std::function<void(std::int64_t sample, std::size_t target, const torch::Tensor& state)>;

struct IntegrateOptions {
  bool steps = false;                // keep every accepted step in Solution::steps
  std::int64_t max_steps = 100'000;  // trials between two targets, then the row gives up
  Sink sink;                         // if set, Solution::states stays undefined
};

Solution integrate(const Solver& solver, const Velocity& velocity, const Problem& problem,
                   const IntegrateOptions& options = {});

/// Tensors as the states of a solver: fused loops for contiguous float and double on the CPU, library
/// operations for everything else.
Batch tensor_states(const torch::Tensor& tensor);
const torch::Tensor& tensor_of(const States& states);

}  // namespace cvf::solvers
