// How a state is stepped through time. A Solver holds the options; its Stepper holds what one integration
// remembers of its rows and says how long a step to try, where it leads, and whether it is good enough. The
// loop around it (integrate.hpp) does everything else.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/config.hpp"
#include "solvers/rows.hpp"

namespace cvf::solvers {

class Stepper {
 public:
  virtual ~Stepper() = default;

  virtual void begin(Rows&, Evaluator&) {}
  /// Sets `wanted` of every row. The loop then cuts it to the target where it must.
  virtual void propose(Rows& rows) = 0;
  /// Evaluates the trial: rows.candidate and `error` of every row.
  virtual void attempt(Rows& rows, Evaluator& velocity) = 0;
  /// Sets `accepted`, or stops the row.
  virtual void judge(Rows& rows) = 0;
  /// After accepted rows have moved: what the trial says about the next step.
  virtual void resize(Rows& rows) = 0;
  /// Rows with these numbers go on, in this order; the others are gone.
  virtual void pack(std::span<const std::int64_t>) {}
  /// The state at `share` (0..1) of the step that row `i` has just made, into row 0 of `out` [1,...]. Only
  /// for steppers whose solver does not cut its steps to the targets.
  virtual void interpolate(const Rows&, std::size_t /*i*/, double /*share*/, torch::Tensor& /*out*/) {}
};

class Solver {
 public:
  virtual ~Solver() = default;
  virtual std::unique_ptr<Stepper> start() const = 0;

  /// Steps end on targets. If not, targets are interpolated and change nothing about the steps.
  virtual bool cuts_to_targets() const { return true; }
  /// All rows take the same steps; they must have the same times.
  virtual bool shares_steps() const { return false; }
};

/// What a solver takes from the model that it steps, unless its options say otherwise; 0 = unknown.
struct Context {
  double delta_min = 0;     // spacing of the source frames
  double largest_step = 0;  // longest step in training
};

/// The options of one solver, behind one face: described for TOML, then built.
class Settings {
 public:
  virtual ~Settings() = default;
  virtual void describe(config::Section& section) = 0;
  virtual std::unique_ptr<Solver> build(const Context& context) const = 0;
};

struct Entry {
  std::string_view name;
  std::string_view summary;
  int order;     // of accuracy on a tangent field; 1 for those that step a secant field exactly
  bool tangent;  // asks for dt = 0 only
  std::unique_ptr<Settings> (*settings)();
};

/// Every solver (registry.cpp).
std::span<const Entry> registry();

/// The solver called `name` with its default options.
std::unique_ptr<Solver> make(std::string_view name, const Context& context = {});

/// Settings for a solver with a nested Options that has `describe(Section&)`, and an (Options, Context)
/// constructor.
template <class Type>
std::unique_ptr<Settings> settings_of() {
  struct Concrete : Settings {
    typename Type::Options options;
    void describe(config::Section& section) override { options.describe(section); }
    std::unique_ptr<Solver> build(const Context& context) const override {
      return std::make_unique<Type>(options, context);
    }
  };
  return std::make_unique<Concrete>();
}

}  // namespace cvf::solvers
