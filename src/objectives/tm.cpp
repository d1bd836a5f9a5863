// Tangent matching: regress the velocity of a spline through the observed frames, at a random point of the
// interval and at the spline's own state.
//   mean (psi(s~_spline(w)) - v~_spline(w))^2, w ~ U(0,1)
#include "objectives/parts/shared.hpp"

namespace cvf::objectives {
namespace {

using torch::Tensor;

class TangentMatching : public Objective {
 public:
  struct Options {
    Spline spline = Spline::cubic;
    bool conditioned = false;

    void describe(config::Section& s) {
      describe_spline(s, "spline", spline, false);
      describe_conditioned(s, conditioned);
    }
  };

  explicit TangentMatching(const Options& options) : options_(options) {}

  Needs needs() const override { return {2, options_.spline, options_.conditioned}; }
  Draws draw(const DrawRange& range) const override { return {{}, {}, draw_points(range)}; }

 protected:
  Losses evaluate(const ScaledField& field, const Batch& batch, const Draws& draws) const override {
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

 private:
  Options options_;
};

}  // namespace

std::unique_ptr<Settings> tm_settings() {
  return settings_of<TangentMatching, Settings>();
}

}  // namespace cvf::objectives
