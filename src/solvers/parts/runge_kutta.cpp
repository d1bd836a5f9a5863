#include "solvers/parts/runge_kutta.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cvf::solvers {

void FixedOptions::describe(config::Section& s) {
  s.key("h", &h, "step, the last before a target cut short; 0: `steps` equal ones to each target",
        config::at_least(0));
  s.key("steps", &steps, "equal steps where h = 0: to each target, or over each max_step of a longer way",
        config::at_least(1));
  s.key("max_step", &max_step,
        "a longer way is first divided into equal parts of at most this, where h = 0; 0: never, -1: the "
        "longest step that training saw often",
        config::at_least(-1));
}

void FixedStepper::propose(Rows& rows) {
  for (auto& row : rows.all) {
    if (options_.h > 0 || passes_) {
      row.wanted = options_.h > 0 ? options_.h : options_.max_step / options_.steps;
      continue;
    }
    // A quotient of 2.0000001 means 2 steps: times in files are rounded.
    const double parts =
        options_.max_step > 0 ? std::max(1.0, std::ceil(row.interval / options_.max_step - 1e-3)) : 1;
    row.wanted = row.interval / (options_.steps * parts);
  }
}

void FixedStepper::attempt(Rows& rows, Evaluator& velocity) {
  Numbers steps;
  for (const auto& row : rows.all) steps.push_back(row.signed_step());
  std::vector<std::size_t> everyone(rows.size());
  std::iota(everyone.begin(), everyone.end(), std::size_t{0});
  for (std::size_t i = 0; i < tableau_.stages(); ++i) {
    if (i > 0) rows.candidate->combine(*rows.state, steps, Batches(k_).first(i), tableau_.a[i - 1]);
    const Batch& at = i > 0 ? rows.candidate : rows.state;
    k_[i] = secant_ ? velocity.ask(at, steps, everyone) : velocity.tangent(at, tableau_.place(i));
  }
  rows.candidate->combine(*rows.state, steps, k_, tableau_.b);
}

void FixedStepper::judge(Rows& rows) {
  const auto finite = rows.candidate->finite_rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows.all[i].accepted = finite[i] != 0;
    if (!rows.all[i].accepted) rows.all[i].stop(Status::non_finite);
  }
}

}  // namespace cvf::solvers
