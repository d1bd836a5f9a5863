// The coefficients of an explicit Runge-Kutta method. Its stages are
//   k_i = v(s + h sum_{j<i} a_ij k_j),   s' = s + h sum_j b_j k_j.
#pragma once

#include <numeric>
#include <vector>

#include "solvers/solver.hpp"

namespace cvf::solvers {

struct Tableau {
  int order;                           // of the solution that is kept
  std::vector<std::vector<double>> a;  // row i-1 belongs to stage i; the first stage has none
  std::vector<double> b;
  std::vector<double> error;   // b minus the weights of the embedded solution; empty for fixed steps
  std::vector<double> middle;  // s(h/2) = s + h sum_j middle_j k_j

  std::size_t stages() const { return b.size(); }
  /// Where stage i stands, as a share of the step; exactly 1 where it stands at the end.
  double place(std::size_t i) const {
    const double sum = i == 0 ? 0 : std::accumulate(a[i - 1].begin(), a[i - 1].end(), 0.0);
    return std::abs(sum - 1) < 1e-12 ? 1 : sum;
  }
};

// Steps whose length is known beforehand: options and stepper of euler and rk4.

struct FixedOptions {
  double h = 0;
  int steps = 1;
  double max_step = -1;

  void describe(config::Section& section);
  /// Takes max_step from the context where it is left open.
  void resolve(const Context& context) {
    if (max_step < 0) max_step = context.largest_step;
  }
};

class FixedStepper : public Stepper {
 public:
  /// `secant`: a stage asks for the mean velocity over the step instead of the tangent. `passes`: steps do
  /// not mind targets.
  FixedStepper(const Tableau& tableau, const FixedOptions& options, bool secant, bool passes = false)
      : tableau_(tableau), options_(options), secant_(secant), passes_(passes), k_(tableau.stages()) {}

  void propose(Rows& rows) override;
  void attempt(Rows& rows, Evaluator& velocity) override;
  void judge(Rows& rows) override;
  void resize(Rows&) override {}

 private:
  const Tableau& tableau_;
  FixedOptions options_;
  bool secant_, passes_;
  std::vector<Batch> k_;
};

}  // namespace cvf::solvers
