// Consistent vector flow: the secant of the data, and secants that agree with each other (paper,
// eq. cvf_loss).
//   mean (psi(s~0, dt) - v~)^2 + lambda mean R_k(s~0, u dt)^2 [+ mean (psi(s~0, 0) - v~_spline)^2]
#pragma once

#include "objectives/objective.hpp"
#include "objectives/parts/draw.hpp"

namespace cvf::objectives {

/// The long side of the rupture: dt for every row (paper), or u*dt with u ~ U(0,1) for a share of the rows,
/// so that short steps are consistent too.
enum class Span { whole, scaled };

class Cvf : public Objective {
 public:
  struct Options {
    double lambda = 1;
    int corners = 3;
    Cut cut = Cut::uniform;
    Span span = Span::scaled;
    double scaled_share = 0.5;
    bool bidirectional = false;
    Spline tangent = Spline::none;
    double tangent_weight = 1;

    void describe(config::Section& section);
  };

  explicit Cvf(const Options& options) : options_(options) {}

  Needs needs() const override;
  Draws draw(const DrawRange& range) const override;

 protected:
  Losses evaluate(const View& view, const Batch& batch, const Draws& draws) const override;

 private:
  Options options_;
};

}  // namespace cvf::objectives
