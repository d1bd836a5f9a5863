// The classical Runge-Kutta method of fourth order with fixed steps, on the tangent field.
#pragma once

#include "solvers/parts/fixed_step.hpp"

namespace cvf::solvers {

class Rk4 : public Solver {
 public:
  using Options = FixedOptions;
  Rk4(const Options& options, const Context& context) : options_(options.resolved(context)) {}
  std::unique_ptr<Stepper> start() const override;

 private:
  Options options_;
};

}  // namespace cvf::solvers
