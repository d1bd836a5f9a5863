// Secant matching: regress the mean velocity of the interval. A field that does not see dt is the paper's
// baseline; one that does is the other variant.
//   mean (psi(s~0 [, dt]) - v~)^2
#include "objectives/parts/shared.hpp"

namespace cvf::objectives {
namespace {

using torch::Tensor;

class SecantMatching : public Objective {
 public:
  struct Options {
    bool conditioned = false;

    void describe(config::Section& s) { describe_conditioned(s, conditioned); }
  };

  explicit SecantMatching(const Options& options) : options_(options) {}

  Needs needs() const override { return {2, Spline::none, options_.conditioned}; }

 protected:
  Losses evaluate(const ScaledField& field, const Batch& batch, const Draws&) const override {
    const Tensor dt = batch.step(0);
    const Tensor psi = field.psi({batch.state(0), shown(options_.conditioned, dt), batch.context(0)});
    Losses out;
    out.add("secant", 1, (psi - field.target(batch.state(0), batch.state(1), dt)).square().mean());
    return out;
  }

 private:
  Options options_;
};

}  // namespace

std::unique_ptr<Settings> sm_settings() {
  return settings_of<SecantMatching, Settings>();
}

}  // namespace cvf::objectives
