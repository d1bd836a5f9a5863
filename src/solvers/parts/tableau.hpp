// The coefficients of an explicit Runge-Kutta method. Its stages are
//   k_i = v(s + h sum_{j<i} a_ij k_j),   s' = s + h sum_j b_j k_j.
#pragma once

#include <numeric>
#include <vector>

namespace cvf::solvers {

struct Tableau {
  int order;                           // of the solution that is kept
  std::vector<std::vector<double>> a;  // row i-1 belongs to stage i; the first stage has none
  std::vector<double> b;
  std::vector<double> error;   // b minus the weights of the embedded solution; empty for fixed steps
  std::vector<double> middle;  // s(h/2) = s + h sum_j middle_j k_j

  std::size_t stages() const { return b.size(); }
  /// Where stage i stands, as a share of the step.
  double place(std::size_t i) const {
    return i == 0 ? 0 : std::accumulate(a[i - 1].begin(), a[i - 1].end(), 0.0);
  }
};

}  // namespace cvf::solvers
