// Steps whose length is known beforehand: options and stepper of euler and rk4.
#pragma once

#include "solvers/parts/algebra.hpp"
#include "solvers/parts/tableau.hpp"
#include "solvers/solver.hpp"

namespace cvf::solvers {

struct FixedOptions {
  double h = 0;
  int steps = 1;
  double max_step = -1;

  void describe(config::Section& section);
  /// -1 becomes what the context knows.
  FixedOptions resolved(const Context& context) const;
};

class FixedStepper : public Stepper {
 public:
  /// `secant`: a stage asks for the mean velocity over the step instead of the tangent.
  FixedStepper(const Tableau& tableau, const FixedOptions& options, bool secant)
      : tableau_(tableau), options_(options), secant_(secant), k_(tableau.stages()) {}

  void propose(Rows& rows) override;
  void attempt(Rows& rows, Evaluator& velocity) override;
  void judge(Rows& rows) override;
  void resize(Rows&) override {}

 private:
  const Tableau& tableau_;
  FixedOptions options_;
  bool secant_;
  std::vector<torch::Tensor> k_;
};

}  // namespace cvf::solvers
