// Operators in a semigroup (Deep-OSG, arXiv 2302.03358): the displacement of the data, and displacements over
// two independent steps that agree with the one over their sum, in both orders, also from states between the
// frames. With t1 = a dt, t2 = b dt, a and b ~ U(0,1), U = t1 + t2:
//   mean (psi(s~0, dt) - v~)^2 + lambda mean over both orders of ((U/dt) R_3(s~, U))^2
// The factor U/dt makes displacements of mean velocities, which is what that method compares: short steps
// weigh less than in cvf.
#pragma once

#include "objectives/objective.hpp"

namespace cvf::objectives {

class SemigroupOperators : public Objective {
 public:
  struct Options {
    double lambda = 1;
    bool between = true;

    void describe(config::Section& section);
  };

  explicit SemigroupOperators(const Options& options) : options_(options) {}

  Needs needs() const override { return {2, Spline::none, true, 6}; }
  Draws draw(const DrawRange& range) const override;

 protected:
  Losses evaluate(const ScaledField& field, const Batch& batch, const Draws& draws) const override;

 private:
  Options options_;
};

}  // namespace cvf::objectives
