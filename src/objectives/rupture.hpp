// The symmetry rupture R_k: how far the legs of a broken way are from its long side (docs/objectives/
// cvf.md). k corners make k-1 legs whose shares a_i of the span U sum to 1:
//   R_k(s, U) = sum_i a_i psi(s_i, a_i U) - psi(s, U),  s_0 = s,  s_{i+1} = s_i + a_i U den(psi(s_i, a_i U))
// It is 0 for the exact mean velocity of any flow. All in units of psi, for each sample.
#pragma once

#include "objectives/scaled_field.hpp"

namespace cvf::objectives {

/// Where in an interval a way lies: it begins at the time `begin` [B] of it (undefined: with it). Without an
/// interval there are no contexts.
struct Place {
  fields::Interval interval = {};
  torch::Tensor begin = {};

  /// The context from `from` to `to`, times since the beginning of the way.
  fields::Context part(const torch::Tensor& from, const torch::Tensor& to) const;
};

/// sum_i a_i psi(s_i, a_i U) over the first `legs` legs; `first` is psi(s, a_0 U), which callers have from a
/// batched pass. span [B], shares [k-1,B].
torch::Tensor walk(const ScaledField& field, const torch::Tensor& state, const torch::Tensor& span,
                   const torch::Tensor& shares, const torch::Tensor& first, std::int64_t legs,
                   const Place& place = {});

/// R_k [B,C,...] for any decomposition.
torch::Tensor rupture(const ScaledField& field, const torch::Tensor& state, const torch::Tensor& span,
                      const torch::Tensor& shares, const Place& place = {});

/// R_k = mismatch + curvature + remainder.
struct RuptureTerms {
  torch::Tensor total;
  torch::Tensor mismatch;   // Term I: the legs at the same state, sum_i a_i psi(s, a_i U) - psi(s, U)
  torch::Tensor curvature;  // Term II: sum_i a_i grad_s psi(s, a_i U) . (U sum_{j<i} a_j den(psi(s, a_j U)))
  torch::Tensor remainder;  // what the first order leaves, O(U^2)
};
RuptureTerms rupture_terms(const ScaledField& field, const torch::Tensor& state, const torch::Tensor& span,
                           const torch::Tensor& shares, const Place& place = {});

/// NRE(s, tau) = |den-difference of R_3(r = 1/2)| / (|den(psi(s, tau))| + 1e-8 / time unit), L2 norms of each
/// sample: [B].
torch::Tensor normalised_rupture_error(const ScaledField& field, const torch::Tensor& state,
                                       const torch::Tensor& tau, const Place& place = {});

/// k-1 equal legs [k-1,B].
torch::Tensor even_shares(std::int64_t legs, std::int64_t rows);

}  // namespace cvf::objectives
