// Steps that a pair of embedded Runge-Kutta solutions controls (the last stage is the first of the next
// step): options, solver and stepper of dopri5 and tsit5. The rules are those of torchdiffeq: the first step
// of Hairer, Norsett and Wanner (Solving ODEs I, II.4), error in the root mean square, no memory in the
// controller,
//   h' = h min(grow, max(safety / ratio^(1/order), shrink or 1)),   accepted where ratio <= 1.
#pragma once

#include <cmath>

#include "solvers/parts/runge_kutta.hpp"
#include "solvers/solver.hpp"

namespace cvf::solvers {

enum class Norm { row, batch };

struct EmbeddedOptions {
  double atol = 1e-4, rtol = 1e-3;
  Norm norm = Norm::row;
  loops::Reduce measure = loops::Reduce::sum;
  bool dense = true;
  double first_step = 0;
  double safety = 0.9, grow = 10, shrink = 0.2;

  void describe(config::Section& section);
};

class EmbeddedPair : public Solver {
 public:
  using Options = EmbeddedOptions;
  EmbeddedPair(const Tableau& tableau, const EmbeddedOptions& options, double time_unit);

  std::unique_ptr<Stepper> start() const override;
  AtTargets at_targets() const override {
    return options_.dense ? AtTargets::interpolate : AtTargets::end_step;
  }
  bool shares_steps() const override { return options_.norm == Norm::batch; }

 private:
  const Tableau& tableau_;
  EmbeddedOptions options_;
  double time_unit_;  // of the first step where its rule fails
};

class EmbeddedStepper : public Stepper {
 public:
  EmbeddedStepper(const Tableau& tableau, const EmbeddedOptions& options, double time_unit)
      : tableau_(tableau),
        options_(options),
        time_unit_(time_unit),
        ratio_that_grows_(std::pow(options.safety / options.grow, tableau.order)),
        ratio_that_shrinks_(std::pow(options.safety / options.shrink, tableau.order)),
        k_(tableau.stages()) {}

  void begin(Rows& rows, Evaluator& velocity) override;
  void propose(Rows& rows) override;
  void attempt(Rows& rows, Evaluator& velocity) override;
  void judge(Rows& rows) override;
  void resize(Rows& rows) override;
  void pack(std::span<const std::size_t> kept) override;
  void interpolate(const Rows& rows, std::size_t i, double share, States& out) override;

 private:
  Numbers signed_steps(const Rows& rows) const;
  Numbers norms(const Batch& x, const Rows& rows) const;
  Numbers norms_of(Numbers squares, const Rows& rows) const;
  double factor(double ratio) const;
  void stop_where_still(Rows& rows) const;
  void begin_behind_breaks(Rows& rows, Evaluator& velocity);

  const Tableau& tableau_;
  EmbeddedOptions options_;
  double time_unit_;
  double ratio_that_grows_, ratio_that_shrinks_;  // errors where a step changes as much as it may
  std::vector<Batch> k_;                          // of every stage; k_[0] belongs to the rows' current states
  Numbers next_;                                  // the step of each row that the controller wants
};

}  // namespace cvf::solvers
