#include "objectives/sm.hpp"

#include "objectives/parts/options.hpp"

namespace cvf::objectives {

using torch::Tensor;

void SecantMatching::Options::describe(config::Section& s) {
  describe_conditioned(s, conditioned);
}

Needs SecantMatching::needs() const {
  return {2, Spline::none, options_.conditioned};
}

Losses SecantMatching::evaluate(const ScaledField& field, const Batch& batch, const Draws&) const {
  const Tensor dt = batch.step(0);
  const Tensor psi = field.psi({batch.state(0), shown(options_.conditioned, dt), batch.context(0)});
  Losses out;
  out.add("secant", 1, (psi - field.target(batch.state(0), batch.state(1), dt)).square().mean());
  return out;
}

}  // namespace cvf::objectives
