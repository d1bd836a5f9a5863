// A known dynamical system: equations, scheme and the random draw of its initial states. Plain C++ over
// double.
//
// A system simulates one sample at a time, single-threaded and without shared state, so that callers may run
// many samples in parallel. What it computes depends on (options, seed, sample, attempt) and on nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/registry.hpp"
#include "core/state_spec.hpp"

namespace cvf::systems {

/// Cells of a grid of the schemes here, the slowest axis first as everywhere; 1 x 1 for vector states.
struct GridSize {
  int ny = 1, nx = 1;
};

/// Names one sample. `attempt` > 0 asks for a fresh draw after a sample went non-finite.
struct Draw {
  std::uint64_t seed = 0;
  std::uint64_t sample = 0;
  int attempt = 0;
};

/// What a file should say about one sample: the drawn parameters and what the solver did ("solver_steps",
/// ...).
using Scalars = std::vector<std::pair<std::string, double>>;

/// Receives frame after frame, in order of time: planes [C][ny][nx], x fastest. May throw to stop the
/// simulation.
using FrameSink = std::function<void(std::size_t frame, std::span<const double> planes)>;

class System {
 public:
  virtual ~System() = default;

  /// Its channels and grid; the parameters, which are scalars drawn for each sample; static fields and
  /// controls.
  virtual StateSpec state() const = 0;

  /// Integrates one sample. `times` increases strictly and starts at or after 0; time 0 is the initial state
  /// (after any burn-in). Every wanted time is hit exactly. A state that blows up is a NumericsError or a
  /// frame that is not finite: the caller then asks for another attempt. The scalars are those of
  /// scalar_names(), in that order.
  virtual Scalars simulate(const Draw& draw, std::span<const double> times, const FrameSink& sink) const = 0;
  virtual std::vector<std::string> scalar_names() const = 0;

  /// The static fields of a sample, each as large as the grid, and what acts on it at `times`, between which
  /// it is linear. They are floats because files hold floats: simulate() uses these very values.
  virtual std::vector<std::vector<float>> statics([[maybe_unused]] const Draw& draw) const { return {}; }
  virtual std::vector<std::vector<float>> controls([[maybe_unused]] const Draw& draw,
                                                   [[maybe_unused]] std::span<const double> times) const {
    return {};
  }

  /// The flow from a state of the caller's, planes [C][ny][nx]: hands out the state at each of `times` after
  /// it. False, and nothing is handed out, where a system cannot start from any state, or where the state
  /// alone does not tell: parameters are drawn, or something acts from outside.
  virtual bool flow([[maybe_unused]] std::span<const double> state,
                    [[maybe_unused]] std::span<const double> times,
                    [[maybe_unused]] const FrameSink& sink) const {
    return false;
  }
};

using Settings = SettingsOf<std::unique_ptr<System>, GridSize>;

struct Row {
  std::string_view name;
  std::string_view summary;
  GridSize grid;   // default; 1 x 1: a vector state, whose grid cannot be chosen; one row: a line
  int frames;      // default number of frames
  double spacing;  // default time between frames
  std::unique_ptr<Settings> (*settings)();
};

/// Every system that `cvf data generate` knows (registry.cpp).
std::span<const Row> registry();

/// Settings for a system type with a nested Options that has `describe(Section&)`, and a (GridSize, Options)
/// constructor.
template <class Type>
std::unique_ptr<Settings> settings_of() {
  return cvf::settings_of<Type, Settings>();
}

}  // namespace cvf::systems
