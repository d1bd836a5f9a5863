// Conditional flow matching on the straight line between two frames; no time input.
//   x_w = (1-w) s~0 + w s~1, w ~ U(0,1):  mean (psi(x_w) - v~)^2
#pragma once

#include "objectives/objective.hpp"

namespace cvf::objectives {

class FlowMatching : public Objective {
 public:
  struct Options {
    bool conditioned = false;

    void describe(config::Section& section);
  };

  explicit FlowMatching(const Options& options) : options_(options) {}

  Needs needs() const override;
  Draws draw(const DrawRange& range) const override;

 protected:
  Losses evaluate(const ScaledField& field, const Batch& batch, const Draws& draws) const override;

 private:
  Options options_;
};

}  // namespace cvf::objectives
