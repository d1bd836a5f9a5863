// How a network learns about its step and the conditions of its context: waves of tau = dt/dt_ref, two linear
// layers, and from these the modulation of its blocks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/network.hpp"

namespace cvf::runtime {

class Modulation {
 public:
  /// `layers` are the names of those that modulate; their results stand side by side. An unconditioned
  /// network does not see dt.
  Modulation(const fields::StateShape& shape, bool conditioned, const std::vector<std::string>& layers,
             const Weights& weights);

  std::int64_t values() const { return modulate_.out(); }  // of one row
  double flops() const;                                    // of one row
  /// [rows, values]
  std::vector<float> of(const Query& query, int threads) const;

 private:
  double dt_ref_;
  bool conditioned_;
  std::vector<float> frequencies_;
  kernels::DenseLayer first_, second_, modulate_;
  std::optional<kernels::DenseLayer> context_;  // where there are conditions
};

}  // namespace cvf::runtime
