#include "objectives/scaled_field.hpp"

namespace cvf::objectives {

using torch::Tensor;

Tensor per_row(const Tensor& numbers, const Tensor& like) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(like.dim()), 1);
  shape[0] = -1;
  return numbers.to(like.options().requires_grad(false)).view(shape);
}

std::vector<Tensor> ScaledField::psi(const std::vector<fields::Query>& queries) const {
  if (queries.size() == 1) return {psi(queries[0])};
  std::vector<Tensor> states, steps;
  std::vector<fields::Context> contexts;
  std::vector<std::int64_t> rows;
  for (const auto& q : queries) {
    states.push_back(q.state);
    steps.push_back(q.dt);
    contexts.push_back(q.context);
    rows.push_back(q.state.size(0));
  }
  return psi({torch::cat(states), torch::cat(steps), fields::Context::cat(contexts)}).split_with_sizes(rows);
}

Tensor ScaledField::advance(const Tensor& state, const Tensor& dt, const Tensor& psi) const {
  return state + per_row(dt, state) * normalizer.model_velocity(psi);
}

Tensor ScaledField::target(const Tensor& s0, const Tensor& s1, const Tensor& dt) const {
  return normalizer.psi_of((s1 - s0) / per_row(dt, s0));
}

}  // namespace cvf::objectives
