// What a field is asked: psi(s, u, dt) of the states s under the context u over the steps dt.
//
// A control is seen over a step as the polynomial through its values at K nodes, evenly spread from the
// beginning of the step to its end (K = 1: the beginning). Any part of the step has the same polynomial, at
// its own nodes: a linear map of the values. So the two legs of a broken way see exactly what the long side
// sees, and the mean velocity of a forced system still composes (docs/contexts.md).
#pragma once

#include <vector>

#include "core/torch.hpp"

namespace cvf::fields {

/// Rows of contexts in model units. Undefined: there is none of it.
struct Context {
  torch::Tensor parameters;      // [R,P]
  torch::Tensor statics;         // [R,S,...]
  torch::Tensor controls;        // [R,K,U] over the step
  torch::Tensor control_fields;  // [R,K,V,...] over the step

  bool has_controls() const { return controls.defined() || control_fields.defined(); }
  Context rows(std::int64_t begin, std::int64_t end) const;
  Context select(const torch::Tensor& rows) const;  // by number
  static Context cat(const std::vector<Context>& all);

  /// What conditions a field as its step does, [R, P + K*U]; undefined when there is nothing.
  torch::Tensor conditions() const;
  /// What it sees beside the state in each cell, [R, S + K*V, ...]; undefined when there is nothing.
  torch::Tensor beside() const;
};

/// The context over an interval of `length` [R], from which every part of the interval has its own.
struct Interval {
  Context context;
  torch::Tensor length;

  /// Over the part from `begin` to `end`, times [R] since the beginning of the interval. They may coincide (a
  /// tangent), lie outside, or run backwards.
  Context part(const torch::Tensor& begin, const torch::Tensor& end) const;
};

/// Values [R,K,...] at the nodes of a step -> at the nodes of its part from share `begin` [R] to share `end`.
torch::Tensor at_part(const torch::Tensor& values, const torch::Tensor& begin, const torch::Tensor& end);

struct Query {
  torch::Tensor state, dt;  // [R,C,...], [R]
  Context context = {};
};

}  // namespace cvf::fields
