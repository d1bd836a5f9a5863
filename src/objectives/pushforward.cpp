// Pushforward: the one-step loss, averaged with the loss of the last of k steps that starts where k-1 steps
// without gradient have led. That last step is asked to return to the true frame.
//   (mean (psi(s~0) - v~_0)^2 + mean (psi(s^) - v~(s^ -> s~k))^2) / 2
#include "objectives/parts/shared.hpp"

namespace cvf::objectives {
namespace {

using torch::Tensor;

class Pushforward : public Objective {
 public:
  struct Options {
    int steps = 2;
    bool conditioned = false;

    void describe(config::Section& s) {
      s.key("steps", &steps, "k: length of the rollout; 1 is the one-step loss alone", config::at_least(1));
      describe_conditioned(s, conditioned);
    }
  };

  explicit Pushforward(const Options& options) : options_(options) {}

  Needs needs() const override { return {options_.steps + 1, Spline::none, options_.conditioned, 2}; }

 protected:
  Losses evaluate(const ScaledField& field, const Batch& batch, const Draws&) const override {
    const auto ask = [&](const Tensor& s, int interval) {
      return field.psi({s, shown(options_.conditioned, batch.step(interval)),
                        batch.context(static_cast<std::size_t>(interval))});
    };
    const Tensor& s0 = batch.state(0);
    const Tensor psi = ask(s0, 0);
    const bool alone = options_.steps == 1;
    Losses out;
    out.add("secant", alone ? 1 : 0.5,
            (psi - field.target(s0, batch.state(1), batch.step(0))).square().mean());
    if (alone) return out;

    Tensor led = field.advance(s0, batch.step(0), psi.detach());  // the first step is paid for already
    {
      const torch::NoGradGuard no_grad;
      for (int i = 1; i + 1 < options_.steps; ++i) led = field.advance(led, batch.step(i), ask(led, i));
    }
    const Tensor last = batch.step(options_.steps - 1);
    const Tensor target = field.target(led, batch.state(static_cast<std::size_t>(options_.steps)), last);
    out.add("pushed", 0.5, (ask(led, options_.steps - 1) - target).square().mean());
    return out;
  }

 private:
  Options options_;
};

}  // namespace

std::unique_ptr<Settings> pushforward_settings() {
  return settings_of<Pushforward, Settings>();
}

}  // namespace cvf::objectives
