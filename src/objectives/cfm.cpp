// Conditional flow matching on the straight line between two frames; no time input.
//   x_w = (1-w) s~0 + w s~1, w ~ U(0,1):  mean (psi(x_w) - v~)^2
#include "objectives/parts/shared.hpp"

namespace cvf::objectives {
namespace {

using torch::Tensor;

class FlowMatching : public Objective {
 public:
  struct Options {
    bool conditioned = false;

    void describe(config::Section& s) { describe_conditioned(s, conditioned); }
  };

  explicit FlowMatching(const Options& options) : options_(options) {}

  Needs needs() const override { return {2, Spline::none, options_.conditioned}; }
  Draws draw(const DrawRange& range) const override { return {{}, {}, draw_points(range)}; }

 protected:
  Losses evaluate(const ScaledField& field, const Batch& batch, const Draws& draws) const override {
    const Tensor &s0 = batch.state(0), &s1 = batch.state(1), dt = batch.step(0);
    const Tensor between = s0 + per_row(draws.points, s0) * (s1 - s0);
    const Tensor psi = field.psi({between, shown(options_.conditioned, dt), batch.context(0)});
    Losses out;
    out.add("secant", 1, (psi - field.target(s0, s1, dt)).square().mean());
    return out;
  }

 private:
  Options options_;
};

}  // namespace

std::unique_ptr<Settings> cfm_settings() {
  return settings_of<FlowMatching, Settings>();
}

}  // namespace cvf::objectives
