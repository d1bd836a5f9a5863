// Operators in a semigroup (Deep-OSG, arXiv 2302.03358): the displacement of the data, and displacements over
// two independent steps that agree with the one over their sum, in both orders, also from states between the
// frames. With t1 = a dt, t2 = b dt, a and b ~ U(0,1), U = t1 + t2:
//   mean (psi(s~0, dt) - v~)^2 + lambda mean over both orders of ((U/dt) R_3(s~, U))^2
// The factor U/dt makes displacements of mean velocities, which is what that method compares: short steps
// weigh less than in cvf.
#include "objectives/parts/shared.hpp"
#include "objectives/rupture.hpp"

namespace cvf::objectives {
namespace {

using torch::Tensor;

class SemigroupOperators : public Objective {
 public:
  struct Options {
    double lambda = 1, rows = 1;
    bool between = true;

    void describe(config::Section& s) {
      s.key("lambda", &lambda, "weight of the semigroup part", config::at_least(0));
      describe_closed(s, rows);
      s.key("between", &between,
            "its states lie anywhere on the line between two frames, not only at frames");
    }
  };

  explicit SemigroupOperators(const Options& options) : options_(options) {}

  Needs needs() const override { return {2, Spline::none, true, 1 + 5 * options_.rows}; }
  Draws draw(const DrawRange& range) const override {
    Draws out;
    std::tie(out.spans, out.shares) = draw_free(range, 1, torch::empty({2, range.rows}, torch::kDouble));
    if (options_.between) out.points = draw_points(range);
    out.closed = draw_closed(range, options_.rows);
    return out;
  }

 protected:
  Losses evaluate(const ScaledField& field, const Batch& whole, const Draws& drawn) const override {
    const ClosedRows closed(whole, drawn, options_.rows);
    const Tensor target = field.target(whole.state(0), whole.state(1), whole.step(0));
    const fields::Query secant{whole.state(0), whole.step(0), whole.context(0)};
    Losses out;
    if (closed.none()) {
      out.add("secant", 1, (field.psi(secant) - target).square().mean());
      out.add("semigroup", options_.lambda, torch::zeros_like(out.total));
      return out;
    }
    const Batch& batch = closed.batch;
    const Draws& draws = closed.draws;
    const Tensor &s0 = batch.state(0), &s1 = batch.state(1), dt = batch.step(0), span = draws.spans * dt;
    const Tensor start = options_.between ? s0 + per_row(draws.points, s0) * (s1 - s0) : s0;
    const Tensor begin = options_.between ? draws.points * dt : torch::zeros_like(dt);
    const Tensor turned = draws.shares.flip(0);
    const auto interval = batch.interval(0);
    const auto from_start = [&](const Tensor& step) {
      return fields::Query{start, step, interval.part(begin, begin + step)};
    };
    const auto psi = field.psi(
        {secant, from_start(span), from_start(draws.shares[0] * span), from_start(turned[0] * span)});
    out.add("secant", 1, (psi[0] - target).square().mean());
    const auto mismatch = [&](const Tensor& shares, const Tensor& first) {
      const Tensor rupture = walk(field, start, span, shares, first, 2, {interval, begin}) - psi[1];
      return closed.mean_square(per_row(draws.spans, rupture) * rupture);
    };
    out.add("semigroup", options_.lambda, (mismatch(draws.shares, psi[2]) + mismatch(turned, psi[3])) / 2);
    return out;
  }

 private:
  Options options_;
};

}  // namespace

std::unique_ptr<Settings> osg_settings() {
  return settings_of<SemigroupOperators, Settings>();
}

}  // namespace cvf::objectives
