// The contexts of samples as tensors, in the units in which the field sees them.
#pragma once

#include <span>
#include <vector>

#include "fields/context.hpp"
#include "model/context_spec.hpp"

namespace cvf::model {

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
