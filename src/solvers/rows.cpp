#include "solvers/rows.hpp"

#include <cmath>

namespace cvf::solvers {

std::int64_t Askers::sample(std::size_t k) const {
  const std::size_t row = askers.empty() ? k : askers[k];
  return rows == nullptr ? static_cast<std::int64_t>(row) : (*rows)[row].sample;
}

double Askers::time(std::size_t k) const {
  if (rows == nullptr) return ahead.empty() ? 0 : ahead[k];
  const Row& row = (*rows)[askers.empty() ? k : askers[k]];
  // The end of a step belongs to the step: where a control jumps there, its value is the one before the jump.
  if (ahead.empty() && share == 1) return std::nextafter(row.end(), row.time);
  return row.time + (ahead.empty() ? share * row.signed_step() : ahead[k]);
}

Batch Evaluator::ask(const Batch& states, std::span<const double> dt, std::span<const std::size_t> payers,
                     std::span<const double> ahead) {
  for (const auto row : payers) ++rows_.all[row].counts.evaluations;
  return velocity_({states, dt, {&rows_.all, payers, 0, ahead}});
}

Batch Evaluator::tangent(const Batch& states, double share, std::span<const double> ahead) {
  ++rows_.asked_of_all;  // one addition here, and one pass over the rows in the loop
  return velocity_({states, {}, {&rows_.all, {}, share, ahead}});
}

}  // namespace cvf::solvers
