// Secant matching: regress the mean velocity of the interval. A field that does not see dt is the paper's
// baseline; one that does is the other variant.
//   mean (psi(s~0 [, dt]) - v~)^2
#pragma once

#include "objectives/objective.hpp"

namespace cvf::objectives {

class SecantMatching : public Objective {
 public:
  struct Options {
    bool conditioned = false;

    void describe(config::Section& section);
  };

  explicit SecantMatching(const Options& options) : options_(options) {}

  Needs needs() const override;

 protected:
  Losses evaluate(const ScaledField& field, const Batch& batch, const Draws& draws) const override;

 private:
  Options options_;
};

}  // namespace cvf::objectives
