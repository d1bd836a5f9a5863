#include "objectives/cfm.hpp"

#include "objectives/parts/draw.hpp"
#include "objectives/parts/options.hpp"

namespace cvf::objectives {

using torch::Tensor;

void FlowMatching::Options::describe(config::Section& s) {
  describe_conditioned(s, conditioned);
}

Needs FlowMatching::needs() const {
  return {2, Spline::none, options_.conditioned};
}

Draws FlowMatching::draw(const DrawRange& range) const {
  return {{}, {}, draw_points(range)};
}

Losses FlowMatching::evaluate(const ScaledField& field, const Batch& batch, const Draws& draws) const {
  const Tensor &s0 = batch.state(0), &s1 = batch.state(1), dt = batch.step(0);
  const Tensor between = s0 + per_row(draws.points, s0) * (s1 - s0);
  const Tensor psi = field.psi({between, shown(options_.conditioned, dt), batch.context(0)});
  Losses out;
  out.add("secant", 1, (psi - field.target(s0, s1, dt)).square().mean());
  return out;
}

}  // namespace cvf::objectives
