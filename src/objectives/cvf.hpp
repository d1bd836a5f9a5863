// Consistent vector flow: the secant of the data, and secants that agree with each other (paper,
// eq. cvf_loss), with parts beyond the paper that are off unless asked for.
//   mean (psi(s~0, dt) - v~)^2 + lambda mean R_k(s~0, U)^2
//     [+ a mean (sum of the legs - v~)^2, where U = dt]
//     [+ p mean (psi(s~', dt') - v~')^2, from the state s~' that the model itself reached after dt]
//     [+ w mean (psi(s~0, 0) - v~_spline)^2]
#pragma once

#include "objectives/objective.hpp"
#include "objectives/parts/draw.hpp"

namespace cvf::objectives {

/// Which side of the rupture is a target only: gradients flow through the other one.
enum class Held { none, long_side, legs };

class Cvf : public Objective {
 public:
  struct Options {
    double lambda = 1, lambda_warmup = 0;
    int corners = 3;
    Cut cut = Cut::uniform;
    Span span = Span::scaled;
    double scaled_share = 0.5, shortest = 1.0 / 16;
    bool both_orders = false;
    Held held = Held::none;
    bool bidirectional = false;
    double anchor = 0;
    double push = 0;
    bool push_gradient = false;
    Spline tangent = Spline::none;
    double tangent_weight = 1;

    void describe(config::Section& section);
    bool scales() const { return span != Span::whole; }
  };

  explicit Cvf(const Options& options);

  Needs needs() const override;
  Draws draw(const DrawRange& range) const override;

 protected:
  Losses evaluate(const ScaledField& field, const Batch& batch, const Draws& draws) const override;

 private:
  Options options_;
};

}  // namespace cvf::objectives
