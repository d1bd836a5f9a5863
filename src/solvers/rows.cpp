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

std::int64_t Query::sample(std::size_t k) const {
  const std::size_t row = askers.empty() ? k : askers[k];
  return rows == nullptr ? static_cast<std::int64_t>(row) : (*rows)[row].sample;
}

double Query::time(std::size_t k) const {
  if (rows == nullptr) return ahead.empty() ? 0 : ahead[k];
  const Row& row = (*rows)[askers.empty() ? k : askers[k]];
  return row.time + (ahead.empty() ? share * row.signed_step() : ahead[k]);
}

Tensor Evaluator::ask(const Tensor& states, std::span<const double> dt, std::span<const std::size_t> payers,
                      std::span<const double> ahead) {
  for (const auto row : payers) ++rows_.all[row].counts.evaluations;
  const Tensor steps = torch::empty({static_cast<std::int64_t>(dt.size())}, torch::kDouble);
  std::copy(dt.begin(), dt.end(), steps.data_ptr<double>());
  return checked(velocity_(Query{states, steps, &rows_.all, payers, 0, ahead}), states);
}

Tensor Evaluator::tangent(const Tensor& states, double share, std::span<const double> ahead) {
  ++rows_.asked_of_all;  // one addition here, and one pass over the rows in the loop
  if (!zeros_.defined() || zeros_.size(0) != states.size(0)) {
    zeros_ = torch::zeros({states.size(0)}, torch::kDouble);
  }
  return checked(velocity_(Query{states, zeros_, &rows_.all, {}, share, ahead}), states);
}

}  // namespace cvf::solvers
