// Pushforward: the one-step loss, averaged with the loss of the last of k steps that starts where k-1 steps
// without gradient have led. That last step is asked to return to the true frame.
//   (mean (psi(s~0) - v~_0)^2 + mean (psi(s^) - v~(s^ -> s~k))^2) / 2
#pragma once

#include "objectives/objective.hpp"

namespace cvf::objectives {

class Pushforward : public Objective {
 public:
  struct Options {
    int steps = 2;
    bool conditioned = false;

    void describe(config::Section& section);
  };

  explicit Pushforward(const Options& options) : options_(options) {}

  Needs needs() const override;

 protected:
  Losses evaluate(const ScaledField& field, const Batch& batch, const Draws& draws) const override;

 private:
  Options options_;
};

}  // namespace cvf::objectives
