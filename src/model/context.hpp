// The context of a model: what its states move under, by name, and the units in which the field sees it.
#pragma once

#include <span>
#include <vector>

#include "core/config.hpp"
#include "core/sample_context.hpp"
#include "fields/context.hpp"
#include "fields/field.hpp"

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
/// side of a jump that counts.
void interpolate(const std::vector<double>& times, const float* series, std::size_t width, double t,
                 bool later, float* out);

/// A DataError unless the controls of this sample are known from `from` to `to`.
void check_covers(const SampleContext& context, std::size_t sample, double from, double to);

/// The contexts of some samples, ready for queries.
class Contexts {
 public:
  Contexts() = default;
  /// `grid` are the sizes of the state's axes. A DataError names a sample whose context does not fit.
  Contexts(const ContextSpec& spec, std::vector<SampleContextPointer> samples,
           const std::vector<std::int64_t>& grid, const torch::TensorOptions& type);

  bool empty() const { return samples_.empty(); }
  /// Of the samples with these numbers, over the steps from `begin` on.
  fields::Context over(std::span<const std::int64_t> rows, std::span<const double> begin,
                       std::span<const double> dt) const;

  /// Times at which the controls of a sample jump.
  std::vector<double> jumps(std::size_t sample) const;
  void check_covers(std::size_t sample, double from, double to) const;

 private:
  torch::Tensor controls_over(const Scaled& scale, std::vector<float> SampleContext::*series,
                              std::span<const std::int64_t> rows, std::span<const double> begin,
                              std::span<const double> dt, const std::vector<std::int64_t>& grid) const;

  ContextSpec spec_;
  std::vector<SampleContextPointer> samples_;
  std::vector<std::int64_t> grid_;
  torch::TensorOptions type_;
  fields::Context fixed_;  // of all samples: parameters and static fields
};

}  // namespace cvf::model
