#include "rollout/batches.hpp"

#include <algorithm>
#include <numeric>

namespace cvf::rollout {

void solve(const Prepared& model, const std::vector<Leg>& legs, const Starts& start, const StateArray& like,
           const EndOf& end) {
  if (legs.empty()) return;
  const Setup& setup = model.setup();
  const std::size_t together =
      setup.solver.shares_steps() ? legs.size() : micro_batch_rows(setup, *start.states);
  for (std::size_t first = 0; first < legs.size(); first += together) {
    const auto some = std::span(legs).subspan(first, std::min(together, legs.size() - first));
    solvers::Schedule schedule;
    std::vector<std::int64_t> rows;
    std::vector<std::size_t> places;
    for (const auto& leg : some) {
      rows.push_back(static_cast<std::int64_t>(leg.row));
      places.push_back(start.place(leg));
      schedule.start_times.push_back(leg.from);
      schedule.targets.push_back({leg.to});
    }
    model.add_breaks(schedule, rows);
    // Solvers number the rows of their batch; whoever reads the outcome thinks of samples.
    const Batch states = take_rows(*start.states, places);
    const Batch ends = start.states->empty(some.size());
    std::vector<bool> reached(some.size());
    auto outcome =
        integrate(setup.solver, model.velocity(std::move(rows)), states, schedule,
                  [&](std::int64_t sample, std::size_t, const solvers::States& all, std::size_t row) {
                    ends->copy_row(static_cast<std::size_t>(sample), all, row);
                    reached[static_cast<std::size_t>(sample)] = true;
                  },
                  {.steps = true});
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (!reached[i]) ends->copy_row(i, *states, i);  // something to convert, which nobody sees
    }
    const StateArray physical = nowhere({static_cast<std::int64_t>(some.size())}, like);
    model.to_physical(ends, physical);
    for (std::size_t i = 0; i < some.size(); ++i) {
      end(some[i], reached[i] ? ends.get() : nullptr, i, physical[i],
          {outcome.counts[i], outcome.statuses[i], std::move(outcome.steps[i])});
    }
  }
}

void pass(const Prepared& model, const Batch& start, const Times& times, const Take& take,
          std::vector<std::vector<Frame>>& frames) {
  const Setup& setup = model.setup();
  const std::size_t together =
      setup.solver.shares_steps() ? times.size() : model.members() * micro_batch_samples(setup, *start);
  const Batch reached = start->empty(1);
  for (std::size_t first = 0; first < times.size(); first += together) {
    const std::size_t count = std::min(together, times.size() - first);
    solvers::Schedule schedule;
    for (std::size_t i = first; i < first + count; ++i) {
      schedule.start_times.push_back(times[i][0]);
      schedule.targets.emplace_back(times[i].begin() + 1, times[i].end());
    }
    std::vector<std::int64_t> rows(count);
    std::iota(rows.begin(), rows.end(), static_cast<std::int64_t>(first));
    model.add_breaks(schedule, rows);
    const auto outcome =
        integrate(setup.solver, model.velocity(std::move(rows)), start->narrow(first, count), schedule,
                  [&](std::int64_t sample, std::size_t target, const solvers::States& all, std::size_t row) {
                    reached->copy_row(0, all, row);
                    take(first + static_cast<std::size_t>(sample), target + 1, reached);
                  },
                  {.steps = true});
    for (std::size_t i = 0; i < count; ++i) {
      frames[first + i] = solvers::frames_of(outcome, i, schedule.targets[i], schedule.backward);
    }
  }
}

void accumulate(std::vector<Frame>& frames) {
  for (std::size_t k = 1; k < frames.size(); ++k) {
    const Frame& before = frames[k - 1];
    frames[k].counts.evaluations += before.counts.evaluations;
    frames[k].counts.accepted += before.counts.accepted;
    frames[k].counts.rejected += before.counts.rejected;
    frames[k].steps.insert(frames[k].steps.begin(), before.steps.begin(), before.steps.end());
  }
}

}  // namespace cvf::rollout
