#include "objectives/node.hpp"

#include "objectives/parts/options.hpp"
#include "objectives/parts/recompute.hpp"

namespace cvf::objectives {
namespace {

// k1 = psi(s), k2 = psi(s + h/2 den(k1)), k3 = psi(s + h/2 den(k2)), k4 = psi(s + h den(k3)):
// (k1 + 2 k2 + 2 k3 + k4)/6. `step` is what the field is shown, the same in all stages; the context is that of
// each stage's own time.
torch::Tensor rk4_mean(const ScaledField& field, const torch::Tensor& s, const torch::Tensor& h,
                       const torch::Tensor& step, const fields::Interval& interval,
                       const torch::Tensor& begin) {
  const auto at = [&](double share) { return interval.part(begin + share * h, begin + share * h); };
  const fields::Context middle = at(0.5);
  const torch::Tensor k1 = field.psi({s, step, at(0)});
  const torch::Tensor k2 = field.psi({field.advance(s, h / 2, k1), step, middle});
  const torch::Tensor k3 = field.psi({field.advance(s, h / 2, k2), step, middle});
  const torch::Tensor k4 = field.psi({field.advance(s, h, k3), step, at(1)});
  return (k1 + 2 * (k2 + k3) + k4) / 6;
}

}  // namespace

using torch::Tensor;

void NeuralOde::Options::describe(config::Section& s) {
  s.key("steps", &steps, "RK4 steps an interval", config::at_least(1));
  s.key("recompute", &recompute, "bound the memory: run every step again in the backward pass");
  describe_conditioned(s, conditioned);
}

Needs NeuralOde::needs() const {
  return {2, Spline::none, options_.conditioned, options_.recompute ? 4.0 : 4.0 * options_.steps};
}

Losses NeuralOde::evaluate(const ScaledField& field, const Batch& batch, const Draws&) const {
  const Tensor dt = batch.step(0), h = dt / options_.steps, step = shown(options_.conditioned, dt);
  const auto interval = batch.interval(0);
  // den is affine and the weights of the stages sum to 1, so the secant in units of psi is the mean of psi:
  // no difference of nearby states is taken.
  Tensor s = batch.state(0), sum;
  for (int i = 0; i < options_.steps; ++i) {
    // By value: recomputation calls it when this function has returned.
    const auto mean_psi = [field, h, step, interval, begin = h * i](const Tensor& from) {
      return rk4_mean(field, from, h, step, interval, begin);
    };
    const Tensor psi = options_.recompute ? recomputed(mean_psi, s, field.field.parameters()) : mean_psi(s);
    sum = sum.defined() ? sum + psi : psi;
    if (i + 1 < options_.steps) s = field.advance(s, h, psi);
  }
  Losses out;
  out.add("secant", 1,
          (sum / options_.steps - field.target(batch.state(0), batch.state(1), dt)).square().mean());
  return out;
}

}  // namespace cvf::objectives
