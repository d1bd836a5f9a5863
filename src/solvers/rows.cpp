#include "solvers/rows.hpp"

#include <algorithm>

#include "core/errors.hpp"

namespace cvf::solvers {

using torch::Tensor;

Tensor Evaluator::checked(Tensor answer, const Tensor& states) const {
  if (!answer.defined() || !answer.sizes().equals(states.sizes())) {
    throw UsageError("a velocity must be shaped as the states that it was asked for");
  }
  if (answer.scalar_type() != states.scalar_type() || answer.device() != states.device()) {
    answer = answer.to(states.options());
  }
  // A field that answers with its own argument must not see it change when the next stage is built there.
  return answer.is_alias_of(states) ? answer.clone() : answer.contiguous();
}

Tensor Evaluator::ask(const Tensor& states, std::span<const double> dt, std::span<const std::size_t> payers) {
  for (const auto row : payers) ++rows_.all[row].counts.evaluations;
  const Tensor steps = torch::empty({static_cast<std::int64_t>(dt.size())}, torch::kDouble);
  std::copy(dt.begin(), dt.end(), steps.data_ptr<double>());
  return checked(velocity_(states, steps), states);
}

Tensor Evaluator::tangent(const Tensor& states) {
  ++rows_.asked_of_all;  // one addition here, and one pass over the rows in the loop
  if (!zeros_.defined() || zeros_.size(0) != states.size(0)) {
    zeros_ = torch::zeros({states.size(0)}, torch::kDouble);
  }
  return checked(velocity_(states, zeros_), states);
}

}  // namespace cvf::solvers
