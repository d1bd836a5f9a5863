// A way that was gone before, once more with every step in two halves: where both lead to the same place, the
// step was short enough. For solvers that step along the mean velocity, s + h psi(s, h).
#pragma once

#include "solvers/solver.hpp"

namespace cvf::solvers {

/// steps[i]: the lengths of the accepted steps of sample i of the problem, in order.
std::unique_ptr<Solver> half_steps(std::vector<std::vector<double>> steps);

}  // namespace cvf::solvers
