#include "objectives/view.hpp"

namespace cvf::objectives {

using torch::Tensor;

Tensor per_row(const Tensor& numbers, const Tensor& like) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(like.dim()), 1);
  shape[0] = -1;
  return numbers.to(like.options().requires_grad(false)).view(shape);
}

Tensor View::psi(const Tensor& state, const Tensor& dt) const {
  return field.forward(state, dt);
}

std::vector<Tensor> View::psi(const std::vector<Question>& questions) const {
  std::vector<Tensor> states, steps;
  std::vector<std::int64_t> rows;
  for (const auto& q : questions) {
    states.push_back(q.state);
    steps.push_back(q.dt);
    rows.push_back(q.state.size(0));
  }
  if (questions.size() == 1) return {psi(states[0], steps[0])};
  return psi(torch::cat(states), torch::cat(steps)).split_with_sizes(rows);
}

Tensor View::advance(const Tensor& state, const Tensor& dt, const Tensor& psi) const {
  return state + per_row(dt, state) * normalizer.model_velocity(psi);
}

Tensor View::target(const Tensor& s0, const Tensor& s1, const Tensor& dt) const {
  return normalizer.psi_of((s1 - s0) / per_row(dt, s0));
}

}  // namespace cvf::objectives
