// The context of a model: what its states move under, by name, and the units in which the field sees it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/config.hpp"
#include "core/sample_context.hpp"
#include "fields/networks.hpp"

namespace cvf::model {

/// Numbers by name, each shown to the field as (value - mean) / deviation.
struct Scaled {
  std::vector<std::string> names;
  std::vector<double> mean, deviation;
  std::vector<double> lowest, highest = {};  // seen in training; empty: models of old do not know

  void describe(config::Section& section);
  bool operator==(const Scaled&) const = default;
};

struct ContextSpec {
  Scaled parameters, statics, controls, control_fields;
  int nodes = 2;  // at which the field sees the controls of a step

  bool empty() const { return names().empty(); }
  ContextNames names() const;
  void describe(config::Section& section);
  void check() const;
  void add_to(fields::StateShape& shape) const;

  /// Means and deviations over these samples.
  void fit(const ContextNames& names, std::span<const SampleContextPointer> samples);

  /// Which parameters of a sample lie outside what training saw, "alpha = 3 (training: 0.5 to 2)"; empty:
  /// none.
  std::string extrapolation(const SampleContext& sample) const;
};

/// The values of a series [T, width] at time t: linear between its times, constant beyond them. `later`: the
/// side of a jump that counts. Computed in T, float or double.
template <class T>
void interpolate(const std::vector<double>& times, const float* series, std::size_t width, double t,
                 bool later, T* out);

/// A DataError unless the controls of this sample are known from `from` to `to`.
void check_covers(const SampleContext& context, std::size_t sample, double from, double to);

/// The controls (or control fields) of a sample over the step dt from `begin` on, scaled, into out [nodes,
/// count, cells]: values at evenly spread nodes. Computed in T, the precision of the model: in float, a time
/// that differs in its last bit could change them by 1e-7.
template <class T>
void controls_over(const Scaled& scale, const SampleContext& sample,
                   const std::vector<float> SampleContext::*series, int nodes, double begin, double dt,
                   std::size_t cells, T* out);

/// A DataError unless the sample, on so many cells, has what the spec names.
void check_context(const ContextSpec& spec, const SampleContext* context, std::size_t sample,
                   std::size_t cells);

/// Times at which the controls of a sample jump.
std::vector<double> jumps(const SampleContext& context);

/// Times at which steps along the mean velocity should end: jumps, and bends that a longer step would not
/// see, because its controls are a polynomial through a few nodes (breaks.cpp). `steps`: the least that two
/// bends are apart, and the longest step there is.
struct StepLengths {
  double shortest = 0, longest = 0;
};
std::vector<double> breaks(const ContextSpec& spec, const SampleContext& context, const StepLengths& steps);

}  // namespace cvf::model
