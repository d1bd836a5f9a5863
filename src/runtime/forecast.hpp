// A loaded model through time: steps, forecasts, and how far to trust them. Physical units in and out, float
// or double; everything is an argument, so any number of threads may forecast with one model. The state of a
// model of several members is their mean.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "runtime/contexts.hpp"
#include "runtime/trace.hpp"

namespace cvf::runtime {

/// What the states of a call move under.
struct Conditions {
  std::vector<SampleContextPointer> contexts = {};  // one for each state, or one for all; empty: none
  std::vector<double> start_times = {};             // of the states, on the clock of the controls; empty: 0
};

/// Receives a state [channels, cells] in physical units when its target is reached: by all members, whose
/// mean it is, with their standard deviation beside it; the spread of one member is null.
template <class T>
using Visit = std::function<void(std::size_t sample, std::size_t target, const T* state, const T* spread)>;

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

/// The NRE that such a step would have: three evaluations, nothing moves. Of several members the mean.
template <class T>
std::vector<double> nre(const Model& model, const T* states, std::size_t rows, std::span<const double> dt,
                        const Conditions& conditions, int threads);

}  // namespace cvf::runtime
