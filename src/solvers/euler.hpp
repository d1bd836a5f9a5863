// Euler's step with the mean velocity over it, s + h psi(s, h): first order for a tangent field, exact for
// the exact secant. The paper's way to step `sm` and `pushforward`.
#pragma once

#include "solvers/parts/fixed_step.hpp"

namespace cvf::solvers {

class Euler : public Solver {
 public:
  using Options = FixedOptions;
  Euler(const Options& options, const Context& context) : options_(options.resolved(context)) {}
  std::unique_ptr<Stepper> start() const override;

 private:
  Options options_;
};

}  // namespace cvf::solvers
