#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "solvers/parts/algebra.hpp"
#include "solvers/solver.hpp"

namespace cvf::solvers {
namespace {

// A wanted step that ends this close before its target (relative to what remains) is meant to end on it.
constexpr double nearly = 1 - 1e-10;

class Integration {
 public:
  Integration(const Solver& solver, const Velocity& velocity, const Problem& problem,
              const IntegrateOptions& options)
      : problem_(problem),
        options_(options),
        stepper_(solver.start()),
        cuts_(solver.cuts_to_targets()),
        velocity_(velocity, rows_) {
    prepare_solution();
    for (std::int64_t sample = 0; sample < problem.samples(); ++sample) admit(sample);
    pack();
    if (running()) stepper_->begin(rows_, velocity_);
    settle();
    pack();
  }

  bool running() const { return !rows_.all.empty(); }

  void propose() {
    stepper_->propose(rows_);
    for (auto& row : rows_.all) {
      row.cut = cuts_ && row.wanted >= nearly * row.remaining;
      row.step = row.cut ? row.remaining : row.wanted;
      if (!problem_.breaks.empty()) stop_at_breaks(row);
    }
    stepper_->attempt(rows_, velocity_);
  }

  void judge() {
    stepper_->judge(rows_);
    for (auto& row : rows_.all) {
      row.counts.evaluations += rows_.asked_of_all;  // every row pays for what was asked of all
      ++(row.accepted ? row.counts.accepted : row.counts.rejected);
      if (++row.trials >= options_.max_steps && !row.accepted) row.stop(Status::too_many_steps);
    }
    rows_.asked_of_all = 0;
  }

  // The only place where states and times change. Afterwards `candidate` holds where accepted rows came from.
  void keep() {
    std::swap(rows_.state, rows_.candidate);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      Row& row = rows_.all[i];
      if (row.accepted) {
        advance(row);
      } else {
        copy_row(rows_.state, i, rows_.candidate, i);
      }
    }
  }

  void record() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!rows_.all[i].accepted) continue;
      cuts_ ? record_end(i) : record_passed(i);
      Row& row = rows_.all[i];
      if (!row.finished && row.trials >= options_.max_steps) row.stop(Status::too_many_steps);
    }
  }

  void resize() { stepper_->resize(rows_); }

  void pack() {
    const auto is_finished = [](const Row& row) { return row.finished; };
    if (std::none_of(rows_.all.begin(), rows_.all.end(), is_finished)) return;
    std::vector<std::int64_t> kept;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rows_.all[i].finished ? conclude(rows_.all[i]) : kept.push_back(static_cast<std::int64_t>(i));
    }
    for (std::size_t i = 0; i < kept.size(); ++i) rows_.all[i] = rows_.all[static_cast<std::size_t>(kept[i])];
    rows_.all.resize(kept.size());
    keep_rows(rows_.state, kept);
    rows_.candidate = rows_.candidate.narrow(0, 0, rows_.state.size(0));
    stepper_->pack(kept);
  }

  Solution take_solution() { return std::move(solution_); }

 private:
  void prepare_solution() {
    const auto count = static_cast<std::size_t>(problem_.samples());
    rows_.state = problem_.start.detach().contiguous().clone();
    rows_.candidate = torch::empty_like(rows_.state);
    solution_.counts.resize(count);
    solution_.statuses.resize(count);
    solution_.target_records.resize(count);
    solution_.steps.resize(count);
    if (options_.sink) return;
    auto shape = problem_.start.sizes().vec();
    shape.insert(shape.begin() + 1, static_cast<std::int64_t>(problem_.most_targets()));
    solution_.states = torch::full(shape, NAN, rows_.state.options());
    flat_states_ = solution_.states.flatten(0, 1);
  }

  // What the first step cost to find.
  void settle() {
    for (auto& row : rows_.all) row.counts.evaluations += rows_.asked_of_all;
    rows_.asked_of_all = 0;
  }

  void admit(std::int64_t sample) {
    const auto i = static_cast<std::size_t>(sample);
    Row row;
    row.sample = sample;
    row.time = problem_.start_times[i];
    row.direction = problem_.backward ? -1 : 1;
    rows_.all.push_back(row);
    aim(rows_.all.back(), row.time);
    Row& added = rows_.all.back();
    if (!added.finished && added.remaining == 0) record_state(added, rows_.state, i);  // wanted at the start
  }

  const std::vector<double>& targets_of(const Row& row) const {
    return problem_.targets[static_cast<std::size_t>(row.sample)];
  }

  // Sets out from `from`, the last target, to the next one.
  void aim(Row& row, double from) const {
    const auto& targets = targets_of(row);
    row.finished = row.target >= targets.size();
    if (row.finished) return;
    row.goal = targets[row.target];
    row.interval = row.remaining = std::abs(row.goal - from);
    row.trials = 0;
    row.status_here = {};
  }

  void stop_at_breaks(Row& row) const {
    const auto& breaks = problem_.breaks[static_cast<std::size_t>(row.sample)];
    const double least = 1e-9 * row.interval;  // whoever is this close to a break has arrived
    row.stop_at = NAN;
    double distance = nearly * row.step;
    for (const double time : breaks) {
      const double away = row.direction * (time - row.time);
      if (away <= least || away >= distance) continue;
      distance = away;
      row.stop_at = time;
    }
    if (std::isnan(row.stop_at)) return;
    row.step = distance;
    row.cut = false;
  }

  void advance(Row& row) {
    if (options_.steps) {
      solution_.steps[static_cast<std::size_t>(row.sample)].push_back({row.time, row.step, row.error});
    }
    const double walked = row.time + row.signed_step();
    row.time = row.cut ? row.goal : (std::isnan(row.stop_at) ? walked : row.stop_at);
    row.remaining = row.cut ? 0 : row.remaining - row.step;
  }

  void record_end(std::size_t i) {
    if (rows_.all[i].remaining <= 0) record_state(rows_.all[i], rows_.state, i);
  }

  void record_passed(std::size_t i) {
    Row& row = rows_.all[i];
    const double from = row.time - row.signed_step();
    while (!row.finished && row.direction * (row.goal - row.time) <= 0) {
      if (!passed_.defined()) passed_ = torch::empty_like(rows_.state.narrow(0, 0, 1));
      const double share = (row.goal - from) / (row.time - from);
      stepper_->interpolate(rows_, i, share, passed_);
      record_state(row, passed_, 0);
    }
  }

  void record_state(Row& row, const torch::Tensor& states, std::size_t i) {
    const auto sample = static_cast<std::size_t>(row.sample);
    solution_.target_records[sample].push_back({row.counts, row.status_here});
    if (options_.sink) {
      options_.sink(row.sample, row.target, states.narrow(0, static_cast<std::int64_t>(i), 1));
    } else {
      copy_row(flat_states_, sample * problem_.most_targets() + row.target, states, i);
    }
    ++row.target;
    aim(row, row.goal);
  }

  // Targets that were never reached say why.
  void conclude(const Row& row) {
    const auto sample = static_cast<std::size_t>(row.sample);
    solution_.counts[sample] = row.counts;
    solution_.statuses[sample] = row.row_status;
    solution_.target_records[sample].resize(targets_of(row).size(), {row.counts, row.row_status});
  }

  const Problem& problem_;
  const IntegrateOptions& options_;
  std::unique_ptr<Stepper> stepper_;
  bool cuts_;
  Rows rows_;
  Evaluator velocity_;
  Solution solution_;
  torch::Tensor flat_states_;  // [B*T,...], the same memory as the solution's
  torch::Tensor passed_;       // [1,...] a state inside a step
};

void check_shared_times(const Problem& problem) {
  for (std::size_t i = 1; i < problem.targets.size(); ++i) {
    if (problem.start_times[i] == problem.start_times[0] && problem.targets[i] == problem.targets[0])
      continue;
    throw UsageError(
        "sample {} has other times than sample 0, but this solver takes the same steps for a whole "
        "batch; norm = \"row\" lets each sample go its own way",
        i);
  }
}

}  // namespace

Solution integrate(const Solver& solver, const Velocity& velocity, const Problem& problem,
                   const IntegrateOptions& options) {
  const torch::NoGradGuard no_gradients;
  problem.check();
  if (solver.shares_steps()) check_shared_times(problem);
  Integration run(solver, velocity, problem, options);
  while (run.running()) {
    run.propose();
    run.judge();
    run.keep();
    run.record();
    run.resize();
    run.pack();
  }
  return run.take_solution();
}

}  // namespace cvf::solvers
