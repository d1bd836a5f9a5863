// The loop: propose, judge, keep, record, resize; each row on its own clock. Rows that are done are packed
// away and never evaluated. A row's answer does not depend on its batch mates (but for solvers that share
// steps).
#pragma once

#include <functional>

#include "solvers/solver.hpp"

namespace cvf::solvers {

/// Takes a state [1,...] when its target is reached: for long ways whose states should not be kept.
using Sink = std::function<void(std::int64_t sample, std::size_t target, const torch::Tensor& state)>;

struct IntegrateOptions {
  bool steps = false;                // keep every accepted step in Solution::steps
  std::int64_t max_steps = 100'000;  // trials between two targets, then the row gives up
  Sink sink;                         // if set, Solution::states stays undefined
};

Solution integrate(const Solver& solver, const Velocity& velocity, const Problem& problem,
                   const IntegrateOptions& options = {});

}  // namespace cvf::solvers
