#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "solvers/solver.hpp"

namespace cvf::solvers {
namespace {

// A wanted step that ends this close before its target (relative to what remains) is meant to end on it.
constexpr double nearly = 1 - 1e-10;

class Integration {
 public:
  Integration(const Solver& solver, BatchVelocity velocity, const Batch& start, const Schedule& schedule,
              const BatchSink& sink, const Recording& recording)
      : schedule_(schedule),
        sink_(sink),
        recording_(recording),
        stepper_(solver.start()),
        at_targets_(solver.at_targets()),
        velocity_(std::move(velocity), rows_) {
    prepare_outcome(*start);
    for (std::size_t sample = 0; sample < start->rows(); ++sample) admit(sample);
    pack();
    if (running()) stepper_->begin(rows_, velocity_);
    settle();
    pack();
  }

  bool running() const { return !rows_.all.empty(); }

  void propose() {
    stepper_->propose(rows_);
    for (auto& row : rows_.all) {
      row.cut = at_targets_ != AtTargets::interpolate && row.wanted >= nearly * row.remaining;
      row.step = row.cut ? row.remaining : row.wanted;
      if (!schedule_.breaks.empty()) stop_at_breaks(row);
      if (evaluates()) look_ahead(row);
    }
    stepper_->attempt(rows_, velocity_);
  }

  void judge() {
    stepper_->judge(rows_);
    settle();
    for (auto& row : rows_.all) {
      ++(row.accepted ? row.counts.accepted : row.counts.rejected);
      if (++row.trials >= recording_.max_steps && !row.accepted) row.stop(Status::too_many_steps);
    }
  }

  // Targets inside the steps that were accepted, each row's first, then each row's second, and so on.
  void visit() {
    if (!evaluates()) return;
    for (;;) {
      std::vector<std::size_t> passing;
      Numbers ways;
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Row& row = rows_.all[i];
        if (!row.accepted || row.inside == 0) continue;
        passing.push_back(i);
        ways.push_back(row.goal - row.time);
      }
      if (passing.empty()) return;
      const Batch from = take_rows(*rows_.state, passing);
      walk(from, ways, passing);
      const auto finite = from->finite_rows();
      for (std::size_t k = 0; k < passing.size(); ++k) {
        Row& row = rows_.all[passing[k]];
        --row.inside;
        finite[k] != 0 ? record_state(row, *from, k) : row.stop(Status::non_finite);
      }
    }
  }

  // The only place where states and times change. Afterwards `candidate` holds where accepted rows came from.
  void keep() {
    std::swap(rows_.state, rows_.candidate);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      Row& row = rows_.all[i];
      if (row.accepted) {
        advance(row);
      } else {
        rows_.state->copy_row(i, *rows_.candidate, i);
      }
    }
  }

  void record() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!rows_.all[i].accepted) continue;
      at_targets_ == AtTargets::interpolate ? record_passed(i) : record_end(i);
      Row& row = rows_.all[i];
      if (!row.finished && row.trials >= recording_.max_steps) row.stop(Status::too_many_steps);
    }
  }

  void resize() { stepper_->resize(rows_); }

  void pack() {
    const auto is_finished = [](const Row& row) { return row.finished; };
    if (std::none_of(rows_.all.begin(), rows_.all.end(), is_finished)) return;
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rows_.all[i].finished ? conclude(rows_.all[i]) : kept.push_back(i);
    }
    for (std::size_t i = 0; i < kept.size(); ++i) rows_.all[i] = rows_.all[kept[i]];
    rows_.all.resize(kept.size());
    keep_rows(rows_.state, kept);
    rows_.candidate = rows_.candidate->narrow(0, kept.size());
    stepper_->pack(kept);
  }

  Outcome take_outcome() { return std::move(outcome_); }

 private:
  bool evaluates() const { return at_targets_ == AtTargets::evaluate || at_targets_ == AtTargets::in_halves; }

  // States that belong to these rows, on their ways by the mean velocity.
  void walk(const Batch& states, Numbers ways, const std::vector<std::size_t>& payers) {
    const double one[]{1};
    Numbers ahead;  // none, then the first half
    if (at_targets_ == AtTargets::in_halves) {
      for (double& way : ways) way /= 2;
      const Batch first[]{velocity_.ask(states, ways, payers)};
      states->combine(*states, ways, first, one);
      ahead = ways;
    }
    const Batch last[]{velocity_.ask(states, ways, payers, ahead)};
    states->combine(*states, ways, last, one);
  }

  void prepare_outcome(const States& start) {
    const std::size_t count = start.rows();
    rows_.state = start.empty(count);
    for (std::size_t i = 0; i < count; ++i) rows_.state->copy_row(i, start, i);
    rows_.candidate = start.empty(count);
    outcome_.counts.resize(count);
    outcome_.statuses.resize(count);
    outcome_.target_records.resize(count);
    outcome_.steps.resize(count);
  }

  // Every row pays for what was asked of all.
  void settle() {
    for (auto& row : rows_.all) row.counts.evaluations += rows_.asked_of_all;
    rows_.asked_of_all = 0;
  }

  void admit(std::size_t sample) {
    Row& row = rows_.all.emplace_back();
    row.sample = static_cast<std::int64_t>(sample);
    row.time = schedule_.start_times[sample];
    row.direction = schedule_.backward ? -1 : 1;
    if (const auto& targets = targets_of(row); !targets.empty())
      row.interval = row.remaining = std::abs(targets.back() - row.time);
    aim(row, row.time);
    if (!row.finished && row.goal == row.time)
      record_state(row, *rows_.state, sample);  // wanted at the start
  }

  const std::vector<double>& targets_of(const Row& row) const {
    return schedule_.targets[static_cast<std::size_t>(row.sample)];
  }

  // Sets out from `from`, the last target, to the next one.
  void aim(Row& row, double from) const {
    const auto& targets = targets_of(row);
    row.finished = row.target >= targets.size();
    if (row.finished) return;
    row.goal = targets[row.target];
    if (!evaluates()) row.interval = row.remaining = std::abs(row.goal - from);
    row.trials = 0;
    row.status_here = {};
  }

  // A step that ends on a target but for rounding ends on it; counts those before.
  void look_ahead(Row& row) const {
    const auto& targets = targets_of(row);
    row.inside = 0;
    row.lands = false;
    for (std::size_t k = row.target; k < targets.size(); ++k) {
      const double away = row.direction * (targets[k] - row.time);
      const bool at_end = away >= nearly * row.step && nearly * away <= row.step;
      row.lands = at_end && !row.midway;
      if (at_end) row.step = away;
      if (away > row.step || row.lands) return;
      ++row.inside;
    }
  }

  void stop_at_breaks(Row& row) const {
    const auto& breaks = schedule_.breaks[static_cast<std::size_t>(row.sample)];
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
    if (recording_.steps) {
      outcome_.steps[static_cast<std::size_t>(row.sample)].push_back({row.time, row.step, row.error});
    }
    row.time = row.end();
    if (!schedule_.breaks.empty()) {
      const auto& breaks = schedule_.breaks[static_cast<std::size_t>(row.sample)];
      row.at_break = std::find(breaks.begin(), breaks.end(), row.time) != breaks.end();
    }
    row.remaining = row.cut ? 0 : row.remaining - row.step;
  }

  void record_end(std::size_t i) {
    Row& row = rows_.all[i];
    if (!row.finished && (row.cut || row.lands)) record_state(row, *rows_.state, i);
  }

  void record_passed(std::size_t i) {
    Row& row = rows_.all[i];
    const double from = row.time - row.signed_step();
    while (!row.finished && row.direction * (row.goal - row.time) <= 0) {
      if (passed_ == nullptr) passed_ = rows_.state->empty(1);
      const double share = (row.goal - from) / (row.time - from);
      stepper_->interpolate(rows_, i, share, *passed_);
      record_state(row, *passed_, 0);
    }
  }

  void record_state(Row& row, const States& states, std::size_t i) {
    outcome_.target_records[static_cast<std::size_t>(row.sample)].push_back({row.counts, row.status_here});
    sink_(row.sample, row.target, states, i);
    ++row.target;
    aim(row, row.goal);
  }

  // Targets that were never reached say why.
  void conclude(const Row& row) {
    const auto sample = static_cast<std::size_t>(row.sample);
    outcome_.counts[sample] = row.counts;
    outcome_.statuses[sample] = row.row_status;
    outcome_.target_records[sample].resize(targets_of(row).size(), {row.counts, row.row_status});
  }

  const Schedule& schedule_;
  const BatchSink& sink_;
  const Recording& recording_;
  std::unique_ptr<Stepper> stepper_;
  AtTargets at_targets_;
  Rows rows_;
  Evaluator velocity_;
  Outcome outcome_;
  Batch passed_;  // one row: a state inside a step
};

void check_shared_times(const Schedule& problem) {
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

void check_start(const States& start, const Schedule& schedule) {
  schedule.check(start.rows());
  const auto finite = start.finite_rows();
  const auto bad = std::find(finite.begin(), finite.end(), char{0});
  if (bad != finite.end()) {
    throw DataError("sample {}: its initial state is not finite", bad - finite.begin());
  }
}

Outcome integrate(const Solver& solver, BatchVelocity velocity, const Batch& start, const Schedule& schedule,
                  const BatchSink& sink, const Recording& recording) {
  check_start(*start, schedule);
  if (solver.shares_steps()) check_shared_times(schedule);
  Integration run(solver, std::move(velocity), start, schedule, sink, recording);
  while (run.running()) {
    run.propose();
    run.judge();
    run.visit();
    run.keep();
    run.record();
    run.resize();
    run.pack();
  }
  return run.take_outcome();
}

}  // namespace cvf::solvers
