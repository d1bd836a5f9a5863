// A loaded model through time: steps, forecasts, and how far to trust them. Physical units in and out, float
// or double; everything is an argument, so any number of threads may forecast with one model.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "metrics/calibration.hpp"
#include "runtime/contexts.hpp"
#include "solvers/frames.hpp"

namespace cvf::runtime {

/// What the states of a call move under.
struct Conditions {
  std::vector<SampleContextPointer> contexts = {};  // one for each state, or one for all; empty: none
  std::vector<double> start_times = {};             // of the states, on the clock of the controls; empty: 0
};

/// How each sample went, and the calibration's bars on it.
struct Trace {
  solvers::Outcome outcome;
  std::vector<std::vector<double>> times;  // of each sample: its start, then its targets

  std::vector<solvers::Frame> frames(std::size_t sample) const;
};

/// Receives a state [channels, cells] in physical units when its target is reached.
template <class T>
using Visit = std::function<void(std::size_t sample, std::size_t target, const T* state)>;

/// Through `times` (increasing, on the clock of the start times; one list for each state, or one for all) in
/// one solve.
template <class T>
Trace forecast(const Model& model, const T* states, std::size_t rows,
               const std::vector<std::vector<double>>& times, const Conditions& conditions, int threads,
               const Visit<T>& visit);

/// Each state dt > 0 ahead, in place; those that are not reached stay as they were.
template <class T>
Trace advance(const Model& model, T* states, std::size_t rows, std::span<const double> dt,
              const Conditions& conditions, int threads);

/// One evaluation, state + dt psi(state, dt), which nobody checks; steps end where a control jumps.
template <class T>
Trace step(const Model& model, T* states, std::size_t rows, std::span<const double> dt,
           const Conditions& conditions, int threads);

/// The NRE that such a step would have: three evaluations, nothing moves.
template <class T>
std::vector<double> nre(const Model& model, const T* states, std::size_t rows, std::span<const double> dt,
                        const Conditions& conditions, int threads);

/// The calibration beside the model, for this solver; a ModelError says what is missing and which command
/// makes it.
metrics::Calibration calibration_of(const Model& model);

}  // namespace cvf::runtime
