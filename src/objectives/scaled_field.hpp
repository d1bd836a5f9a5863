// What an objective learns and measures on: a field together with the normalizer that gives its psi a unit.
#pragma once

#include <vector>

#include "fields/field.hpp"
#include "normalizers/normalizer.hpp"

namespace cvf::objectives {

struct ScaledField {
  fields::VelocityField& field;
  const normalizers::Normalizer& normalizer;

  torch::Tensor psi(const fields::Query& query) const { return field.forward(query); }
  torch::Tensor psi(const torch::Tensor& state, const torch::Tensor& dt) const { return psi({state, dt}); }

  /// The answers to all queries from one batched forward pass; they may differ in their numbers of rows.
  std::vector<torch::Tensor> psi(const std::vector<fields::Query>& queries) const;

  /// s~ + dt den(psi): where the mean velocity psi leads in dt.
  torch::Tensor advance(const torch::Tensor& state, const torch::Tensor& dt, const torch::Tensor& psi) const;

  /// What psi should be for the way from s0 to s1 in dt: the normalised secant v~.
  torch::Tensor target(const torch::Tensor& s0, const torch::Tensor& s1, const torch::Tensor& dt) const;
};

/// One number for each row [R] -> [R,1,...] in the dtype of `like` [R,C,...].
torch::Tensor per_row(const torch::Tensor& numbers, const torch::Tensor& like);

}  // namespace cvf::objectives
