// Tangent matching: regress the velocity of a spline through the observed frames, at a random point of the
// interval and at the spline's own state.
//   mean (psi(s~_spline(w)) - v~_spline(w))^2, w ~ U(0,1)
#pragma once

#include "objectives/objective.hpp"

namespace cvf::objectives {

class TangentMatching : public Objective {
 public:
  struct Options {
    Spline spline = Spline::cubic;
    bool conditioned = false;

    void describe(config::Section& section);
  };

  explicit TangentMatching(const Options& options) : options_(options) {}

  Needs needs() const override;
  Draws draw(const DrawRange& range) const override;

 protected:
  Losses evaluate(const ScaledField& field, const Batch& batch, const Draws& draws) const override;

 private:
  Options options_;
};

}  // namespace cvf::objectives
