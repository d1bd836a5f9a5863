#include "objectives/tm.hpp"

#include "objectives/parts/draw.hpp"
#include "objectives/parts/options.hpp"

namespace cvf::objectives {

using torch::Tensor;

void TangentMatching::Options::describe(config::Section& s) {
  describe_spline(s, "spline", spline, false);
  describe_conditioned(s, conditioned);
}

Needs TangentMatching::needs() const {
  return {2, options_.spline, options_.conditioned};
}

Draws TangentMatching::draw(const DrawRange& range) const {
  return {{}, {}, draw_points(range)};
}

Losses TangentMatching::evaluate(const ScaledField& field, const Batch& batch, const Draws& draws) const {
  const bool quintic = options_.spline == Spline::quintic;
  const auto end = [&](std::size_t i) {
    return HermiteEnd{batch.state(i), batch.slopes[i], quintic ? batch.curvatures[i] : Tensor()};
  };
  const Tensor dt = batch.step(0);
  const CurvePoint point = hermite(end(0), end(1), dt, draws.points);
  const Tensor time = draws.points * dt;
  const Tensor psi =
      field.psi({point.state, shown(options_.conditioned, dt), batch.interval(0).part(time, time)});
  Losses out;
  out.add("tangent", 1, (psi - field.normalizer.psi_of(point.velocity)).square().mean());
  return out;
}

}  // namespace cvf::objectives
