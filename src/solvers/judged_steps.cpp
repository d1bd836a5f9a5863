#include <cmath>
#include <numeric>

#include "core/scores.hpp"
#include "solvers/solver.hpp"

namespace cvf::solvers {
namespace {

// Goes a way that is known, and asks of every step what a probe of gcs asks.
class Judge : public Stepper {
 public:
  Judge(const std::vector<std::vector<double>>& steps, double eta)
      : steps_(steps), eta_(eta), next_(steps.size(), 0) {}

  // Members of a sample may have gone less far than others: beyond its own steps a row is of no interest.
  void propose(Rows& rows) override {
    for (auto& row : rows.all) {
      const auto sample = static_cast<std::size_t>(row.sample);
      row.wanted = next_[sample] < steps_[sample].size() ? steps_[sample][next_[sample]] : row.remaining;
    }
  }

  void attempt(Rows& rows, Evaluator& velocity) override {
    const std::size_t count = rows.size();
    std::vector<std::size_t> twice(2 * count);
    Numbers dt(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
      twice[i] = twice[count + i] = i;
      dt[i] = rows.all[i].signed_step(), dt[count + i] = dt[i] / 2;
    }
    const auto whole = std::span(dt).first(count), half = std::span(dt).last(count);
    const auto everyone = std::span(twice).first(count);
    const Batch both = velocity.ask(take_rows(*rows.state, twice), dt, twice);
    const Batch straight = both->narrow(0, count), first = both->narrow(count, count);
    const double one[]{1}, rupture[]{0.5, 0.5, -1}, long_side[]{0, 0, 1};
    const Batch middle = rows.state->empty(count);
    middle->combine(*rows.state, half, {&first, 1}, one);
    const Batch ways[]{first, velocity.ask(middle, half, everyone, half), straight};
    const Numbers broken = row_squares(ways, rupture), size = row_squares(ways, long_side);
    for (std::size_t i = 0; i < count; ++i)
      rows.all[i].error = nre(std::sqrt(broken[i]), std::sqrt(size[i]), eta_);
    rows.candidate->combine(*rows.state, whole, {&straight, 1}, one);
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
  const std::vector<std::vector<double>>& steps_;
  double eta_;
  std::vector<std::size_t> next_;  // of each sample
};

class JudgedSteps : public Solver {
 public:
  JudgedSteps(std::vector<std::vector<double>> steps, double eta) : steps_(std::move(steps)), eta_(eta) {}
  std::unique_ptr<Stepper> start() const override { return std::make_unique<Judge>(steps_, eta_); }

 private:
  std::vector<std::vector<double>> steps_;
  double eta_;
};

}  // namespace

std::unique_ptr<Solver> judged_steps(std::vector<std::vector<double>> steps, double eta) {
  return std::make_unique<JudgedSteps>(std::move(steps), eta);
}

}  // namespace cvf::solvers
