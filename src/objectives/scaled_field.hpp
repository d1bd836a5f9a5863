// What an objective learns and measures on: a field together with the normalizer that gives its psi a unit.
#pragma once

#include <vector>

#include "fields/field.hpp"
#include "normalizers/normalizer.hpp"

namespace cvf::objectives {

/// One number for each row [R] -> [R,1,...] in the dtype of `like` [R,C,...].
inline torch::Tensor per_row(const torch::Tensor& numbers, const torch::Tensor& like) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(like.dim()), 1);
  shape[0] = -1;
  return numbers.to(like.options().requires_grad(false)).view(shape);
}

struct ScaledField {
  fields::VelocityField& field;
  const normalizers::Normalizer& normalizer;

  torch::Tensor psi(const fields::Query& query) const { return field.forward(query); }
  torch::Tensor psi(const torch::Tensor& state, const torch::Tensor& dt) const { return psi({state, dt}); }

  /// The answers to all queries from one batched forward pass; they may differ in their numbers of rows.
  std::vector<torch::Tensor> psi(const std::vector<fields::Query>& queries) const {
    if (queries.size() == 1) return {psi(queries[0])};
    std::vector<torch::Tensor> states, steps;
    std::vector<fields::Context> contexts;
    std::vector<std::int64_t> rows;
    for (const auto& q : queries) {
      states.push_back(q.state);
      steps.push_back(q.dt);
      contexts.push_back(q.context);
      rows.push_back(q.state.size(0));
    }
    const fields::Query all{torch::cat(states), torch::cat(steps), fields::Context::cat(contexts)};
    return psi(all).split_with_sizes(rows);
  }

  /// s~ + dt den(psi): where the mean velocity psi leads in dt.
  torch::Tensor advance(const torch::Tensor& state, const torch::Tensor& dt, const torch::Tensor& psi) const {
    return state + per_row(dt, state) * normalizer.model_velocity(psi);
  }

  /// What psi should be for the way from s0 to s1 in dt: the normalised secant v~.
  torch::Tensor target(const torch::Tensor& s0, const torch::Tensor& s1, const torch::Tensor& dt) const {
    return normalizer.psi_of((s1 - s0) / per_row(dt, s0));
  }
};

}  // namespace cvf::objectives
