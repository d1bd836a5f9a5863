#include "rollout/batches.hpp"

#include <algorithm>
#include <numeric>

#include "rollout/members.hpp"

namespace cvf::rollout {
namespace {

using solvers::Solution;
using torch::Tensor;

// Solvers number the rows of their batch; whoever reads the outcome thinks of samples.
solvers::Problem problem_of(std::span<const Leg> legs, const StartOf& start) {
  std::vector<Tensor> states;
  solvers::Problem out;
  for (const auto& leg : legs) {
    states.push_back(start(leg));
    out.start_times.push_back(leg.from);
    out.targets.push_back({leg.to});
  }
  out.start = torch::stack(states);
  return out;
}

// No step passes over a jump of a control.
void add_jumps(solvers::Problem& problem, const model::Contexts& contexts, std::span<const std::int64_t> rows,
               std::int64_t members) {
  if (contexts.empty()) return;
  for (const auto row : rows)
    problem.breaks.push_back(contexts.jumps(static_cast<std::size_t>(row / members)));
}

}  // namespace

void solve(const Setup& setup, const model::Contexts& contexts, const std::vector<Leg>& legs,
           const StartOf& start, const EndOf& end) {
  if (legs.empty()) return;
  const Tensor one = start(legs.front()).unsqueeze(0);
  const std::size_t together = setup.solver.shares_steps() ? legs.size() : micro_batch_rows(setup, one);
  for (std::size_t first = 0; first < legs.size(); first += together) {
    const auto some = std::span(legs).subspan(first, std::min(together, legs.size() - first));
    std::vector<std::int64_t> rows;
    for (const auto& leg : some) rows.push_back(leg.row());
    solvers::Problem problem = problem_of(some, start);
    add_jumps(problem, contexts, rows, member_count(setup));
    Solution solution = integrate(setup.solver, velocity_by_member(setup, contexts, std::move(rows)), problem,
                                  {.steps = true});
    for (std::size_t i = 0; i < some.size(); ++i) {
      end(some[i], solution.states[static_cast<std::int64_t>(i)][0],
          {solution.counts[i], solution.statuses[i], std::move(solution.steps[i])});
    }
  }
}

void pass(const Setup& setup, const model::Contexts& contexts, const Tensor& start, const Times& times,
          const Take& take, std::vector<std::vector<Frame>>& frames) {
  const auto members = static_cast<std::size_t>(member_count(setup));
  const std::size_t together =
      setup.solver.shares_steps() ? times.size() : members * micro_batch_samples(setup, start);
  for (std::size_t first = 0; first < times.size(); first += together) {
    const std::size_t count = std::min(together, times.size() - first);
    solvers::Problem problem;
    problem.start = start.narrow(0, static_cast<std::int64_t>(first), static_cast<std::int64_t>(count));
    for (std::size_t i = first; i < first + count; ++i) {
      problem.start_times.push_back(times[i][0]);
      problem.targets.emplace_back(times[i].begin() + 1, times[i].end());
    }
    const solvers::Sink sink = [&](std::int64_t row, std::size_t target, const Tensor& state) {
      take(first + static_cast<std::size_t>(row), target + 1, state[0]);
    };
    std::vector<std::int64_t> rows(count);
    std::iota(rows.begin(), rows.end(), static_cast<std::int64_t>(first));
    add_jumps(problem, contexts, rows, member_count(setup));
    const Solution solution = integrate(setup.solver, velocity_by_member(setup, contexts, std::move(rows)),
                                        problem, {.steps = true, .sink = sink});
    for (std::size_t i = 0; i < count; ++i) {
      frames[first + i] = solvers::frames_of(solution, i, problem.targets[i], problem.backward);
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
