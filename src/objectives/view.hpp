// What an objective learns and measures on: a field together with the normalizer that gives its psi a unit.
#pragma once

#include <vector>

#include "fields/field.hpp"
#include "normalizers/normalizer.hpp"

namespace cvf::objectives {

/// One question to a field: states [R,C,...] and a step for each [R]. R may differ from question to question.
struct Question {
  torch::Tensor state, dt;
};

struct View {
  fields::VelocityField& field;
  const normalizers::Normalizer& normalizer;

  torch::Tensor psi(const torch::Tensor& state, const torch::Tensor& dt) const;

  /// The answers to all questions from one batched forward pass.
  std::vector<torch::Tensor> psi(const std::vector<Question>& questions) const;

  /// s~ + dt den(psi): where the mean velocity psi leads in dt.
  torch::Tensor advance(const torch::Tensor& state, const torch::Tensor& dt, const torch::Tensor& psi) const;

  /// What psi should be for the way from s0 to s1 in dt: the normalised secant v~.
  torch::Tensor target(const torch::Tensor& s0, const torch::Tensor& s1, const torch::Tensor& dt) const;
};

/// One number for each row [R] -> [R,1,...] in the dtype of `like` [R,C,...].
torch::Tensor per_row(const torch::Tensor& numbers, const torch::Tensor& like);

}  // namespace cvf::objectives
