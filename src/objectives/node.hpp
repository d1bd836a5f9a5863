// Neural ODE: integrate ds~/dt = den(psi(s~)) over the interval with fixed RK4 steps, regress the secant that
// results, and differentiate through the solver. `recompute` keeps one state for each RK4 step instead of all
// four evaluations and pays a second forward pass; field and normalizer must outlive the backward pass.
//   mean (psi_mean - v~)^2, psi_mean the mean of psi over the steps and stages
#pragma once

#include "objectives/objective.hpp"

namespace cvf::objectives {

class NeuralOde : public Objective {
 public:
  struct Options {
    int steps = 1;  // RK4 steps an interval
    bool recompute = false;
    bool conditioned = false;

    void describe(config::Section& section);
  };

  explicit NeuralOde(const Options& options) : options_(options) {}

  Needs needs() const override;

 protected:
  Losses evaluate(const ScaledField& field, const Batch& batch, const Draws& draws) const override;

 private:
  Options options_;
};

}  // namespace cvf::objectives
