// Methods with fixed steps.
#include "solvers/parts/runge_kutta.hpp"

namespace cvf::solvers {
namespace {

struct EulerOptions : FixedOptions {
  bool dense = true;

  void describe(config::Section& s) {
    FixedOptions::describe(s);
    s.key("dense", &dense, dense_meaning);
  }
  // Steps as long as they are known to be good, with targets inside.
  bool passes() const { return dense && (h > 0 || max_step > 0); }
};

// Euler's step with the mean velocity over it, s + h psi(s, h): first order for a tangent field, exact for
// the exact secant. The paper's way to step `sm` and `pushforward`.
class Euler : public Solver {
 public:
  using Options = EulerOptions;
  Euler(const Options& options, const Context& context) : options_(options) { options_.resolve(context); }

  std::unique_ptr<Stepper> start() const override {
    static const Tableau tableau{.order = 1, .a = {}, .b = {1}, .error = {}, .middle = {}};
    return std::make_unique<FixedStepper>(tableau, options_, true, options_.passes());
  }
  AtTargets at_targets() const override {
    return options_.passes() ? AtTargets::evaluate : AtTargets::end_step;
  }
  bool steps_along_secants() const override { return true; }

 private:
  Options options_;
};

// The classical Runge-Kutta method of fourth order, on the tangent field.
class Rk4 : public Solver {
 public:
  using Options = FixedOptions;
  Rk4(const Options& options, const Context& context) : options_(options) { options_.resolve(context); }

  std::unique_ptr<Stepper> start() const override {
    static const Tableau tableau{.order = 4,
                                 .a = {{0.5}, {0, 0.5}, {0, 0, 1}},
                                 .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
                                 .error = {},
                                 .middle = {}};
    return std::make_unique<FixedStepper>(tableau, options_, false);
  }

 private:
  Options options_;
};

}  // namespace

std::unique_ptr<Settings> euler_settings() {
  return settings_of<Euler, Settings>();
}

std::unique_ptr<Settings> rk4_settings() {
  return settings_of<Rk4, Settings>();
}

}  // namespace cvf::solvers
