#include <cmath>

#include "solvers/solver.hpp"

namespace cvf::solvers {
namespace {

using Lengths = std::vector<std::vector<double>>;

class Halves : public Stepper {
 public:
  explicit Halves(const Lengths& steps) : steps_(steps), next_(steps.size(), 0) {}

  // Whoever has gone all steps of the first way (it was stopped) goes on as it likes.
  void propose(Rows& rows) override {
    for (auto& row : rows.all) {
      const auto sample = static_cast<std::size_t>(row.sample), half = next_[sample];
      const auto& own = steps_[sample];
      row.wanted = half / 2 < own.size() ? own[half / 2] / 2 : row.remaining;
      row.midway = half / 2 < own.size() && half % 2 == 0;
    }
  }

  void attempt(Rows& rows, Evaluator& velocity) override {
    Numbers steps(rows.size());
    std::vector<std::size_t> payers(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      payers[i] = i;
      steps[i] = rows.all[i].signed_step();
      rows.all[i].error = NAN;
    }
    const Batch straight[]{velocity.ask(rows.state, steps, payers)};
    const double one[]{1};
    rows.candidate->combine(*rows.state, steps, straight, one);
  }

  void judge(Rows& rows) override {
    const auto finite = rows.candidate->finite_rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows.all[i].accepted = true;
      if (finite[i] == 0) rows.all[i].stop(Status::non_finite);
    }
  }

  void resize(Rows& rows) override {
    for (const auto& row : rows.all) next_[static_cast<std::size_t>(row.sample)] += row.accepted ? 1 : 0;
  }

 private:
  const Lengths& steps_;
  std::vector<std::size_t> next_;  // half step of each sample
};

class HalfSteps : public Solver {
 public:
  explicit HalfSteps(Lengths steps) : steps_(std::move(steps)) {}
  std::unique_ptr<Stepper> start() const override { return std::make_unique<Halves>(steps_); }
  // The first way may have passed some. A target that it reached in one step is reached in two, wherever it
  // lies: else both ways would agree on the first half of a step whatever the field says.
  AtTargets at_targets() const override { return AtTargets::in_halves; }

 private:
  Lengths steps_;
};

}  // namespace

std::unique_ptr<Solver> half_steps(Lengths steps) {
  return std::make_unique<HalfSteps>(std::move(steps));
}

}  // namespace cvf::solvers
