#include "rollout/protocols.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "rollout/batches.hpp"
#include "rollout/members.hpp"
#include "solvers/half_steps.hpp"

namespace cvf::rollout {
namespace {

using torch::Tensor;

std::int64_t most_frames(const Times& times) {
  std::size_t most = 1;
  for (const auto& t : times) most = std::max(most, t.size());
  return static_cast<std::int64_t>(most);
}

void check(const Tensor& start, const Times& times) {
  if (std::cmp_not_equal(times.size(), start.size(0))) {
    throw UsageError("{} states have {} lists of times", start.size(0), times.size());
  }
  solvers::Problem problem{start, {}, {}};
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i].empty()) throw UsageError("sample {}: has no time of its given frame", i);
    problem.start_times.push_back(times[i][0]);
    problem.targets.emplace_back(times[i].begin() + 1, times[i].end());
  }
  problem.check();  // here, where samples have their own numbers: below they are rows of batches
}

// The contexts in model units; a DataError where a control is not known as long as the forecast goes.
model::Contexts known_over(const Setup& setup, const Tensor& start, const Times& times,
                           const SampleContexts& contexts) {
  auto out = contexts_for(setup.model, contexts, start);
  for (std::size_t i = 0; !out.empty() && i < times.size(); ++i) {
    out.check_covers(i, times[i].front(), times[i].back());
  }
  return out;
}

// The true frames that a teacher gives.
void check_finite(const Tensor& states) {
  const Tensor bad = torch::isfinite(states).flatten(2).all(2).logical_not().nonzero();
  if (bad.size(0) == 0) return;
  throw DataError("sample {}: frame {} is not finite", bad[0][0].item<std::int64_t>(),
                  bad[0][1].item<std::int64_t>());
}

// Everything that the protocols fill, in model units: [B,T,...] and a record for each frame.
struct Sheet {
  const Setup& setup;
  Tensor states;
  std::vector<std::vector<Frame>> frames;

  Sheet(const Setup& s, const Tensor& start, const Times& times) : setup(s) {
    auto shape = start.sizes().vec();
    shape.insert(shape.begin() + 1, most_frames(times));
    states = torch::full(shape, NAN, start.options());
    states.select(1, 0).copy_(start);
    for (const auto& t : times) frames.emplace_back(t.size());
  }

  Forecast take(const Tensor& like) { return {to_physical(setup.model, states, 2, like), std::move(frames)}; }
};

}  // namespace

void check_times(const std::string& file, std::size_t sample, const std::vector<double>& times) {
  solvers::check_times(sample, times.at(0), {times.begin() + 1, times.end()}, false, file + ": ");
  if (times.size() > 1 && times[0] == times[1]) {
    throw DataError("{}: sample {}: the time {} is there twice", file, sample, times[0]);
  }
}

Forecast time_informed(const Setup& setup, const Physical& start, const Times& of_samples,
                       const SampleContexts& contexts) {
  check(start.value, of_samples);
  const auto known = known_over(setup, start.value, of_samples, contexts);
  const auto members = member_count(setup);
  const Times times = for_members(of_samples, members);
  Sheet sheet(setup, for_members(to_model(setup.model, start), members), times);
  std::vector<Leg> legs;
  for (std::size_t i = 0; i < times.size(); ++i) legs.push_back({i, 0, 0, 0});
  for (std::size_t k = 1; !legs.empty(); ++k) {
    std::erase_if(legs, [&](const Leg& leg) { return k >= times[leg.sample].size(); });
    for (auto& leg : legs) leg = {leg.sample, k, times[leg.sample][k - 1], times[leg.sample][k]};
    solve(
        setup, known, legs, [&](const Leg& leg) { return sheet.states[leg.row()][leg.column() - 1]; },
        [&](const Leg& leg, const Tensor& end, Frame frame) {
          sheet.states[leg.row()][leg.column()].copy_(end);
          sheet.frames[leg.sample][leg.frame] = std::move(frame);
        });
    // What stopped stays stopped: later frames say why.
    std::erase_if(legs, [&](const Leg& leg) {
      auto& frames = sheet.frames[leg.sample];
      const auto row_status = frames[leg.frame].row_status;
      if (reaches_target(row_status.status)) return false;
      for (std::size_t later = k + 1; later < frames.size(); ++later) frames[later].row_status = row_status;
      return true;
    });
  }
  return merged(sheet.take(start.value), members);
}

Forecast one_step(const Setup& setup, const Physical& states, const Times& of_samples,
                  const SampleContexts& contexts) {
  if (states.value.size(1) < most_frames(of_samples)) {
    throw UsageError("the samples have {} frames and up to {} times", states.value.size(1),
                     most_frames(of_samples));
  }
  check(states.value.select(1, 0), of_samples);
  check_finite(states.value);
  const auto known = known_over(setup, states.value.select(1, 0), of_samples, contexts);
  const auto members = member_count(setup);
  const Times times = for_members(of_samples, members);
  const Tensor all =
      for_members(to_model(setup.model, {states.value.flatten(0, 1)}).view_as(states.value), members);
  Sheet sheet(setup, all.select(1, 0), times);
  std::vector<Leg> legs;
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (std::size_t k = 1; k < times[i].size(); ++k) legs.push_back({i, k, times[i][k - 1], times[i][k]});
  }
  solve(
      setup, known, legs, [&](const Leg& leg) { return all[leg.row()][leg.column() - 1]; },
      [&](const Leg& leg, const Tensor& end, Frame frame) {
        sheet.states[leg.row()][leg.column()].copy_(end);
        sheet.frames[leg.sample][leg.frame] = std::move(frame);
      });
  return merged(sheet.take(states.value), members);
}

Forecast direct(const Setup& setup, const Physical& start, const Times& of_samples,
                const SampleContexts& contexts) {
  check(start.value, of_samples);
  const auto known = known_over(setup, start.value, of_samples, contexts);
  const auto members = member_count(setup);
  const Times times = for_members(of_samples, members);
  const Tensor first = for_members(to_model(setup.model, start), members);
  Sheet sheet(setup, first, times);
  if (!setup.solver.cuts_to_targets()) {
    pass(
        setup, known, first, times,
        [&](std::size_t sample, std::size_t frame, const Tensor& state) {
          sheet.states[static_cast<std::int64_t>(sample)][static_cast<std::int64_t>(frame)].copy_(state);
        },
        sheet.frames);
    for (auto& frames : sheet.frames) accumulate(frames);
    return merged(sheet.take(start.value), members);
  }
  std::vector<Leg> legs;
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (std::size_t k = 1; k < times[i].size(); ++k) legs.push_back({i, k, times[i][0], times[i][k]});
  }
  solve(
      setup, known, legs, [&](const Leg& leg) { return first[leg.row()]; },
      [&](const Leg& leg, const Tensor& end, Frame frame) {
        sheet.states[leg.row()][leg.column()].copy_(end);
        sheet.frames[leg.sample][leg.frame] = std::move(frame);
      });
  return merged(sheet.take(start.value), members);
}

Forecast forecast(const Setup& setup, const Physical& start, const Times& of_samples, const FrameSink& sink,
                  const SampleContexts& contexts) {
  check(start.value, of_samples);
  const auto known = known_over(setup, start.value, of_samples, contexts);
  const auto members = member_count(setup);
  const Times times = for_members(of_samples, members);
  const Tensor first = for_members(to_model(setup.model, start), members);
  Forecast out;
  for (const auto& t : times) out.frames.emplace_back(t.size());
  Tensor kept;
  if (!sink) kept = Sheet(setup, first, times).states;
  Meeting meeting(members, sink);
  const auto take = [&](std::size_t row, std::size_t frame, const Tensor& state) {
    if (sink)
      return meeting.take(row, frame, to_physical(setup.model, state.unsqueeze(0), 1, start.value).value[0]);
    kept[static_cast<std::int64_t>(row)][static_cast<std::int64_t>(frame)].copy_(state);
  };
  for (std::size_t i = 0; i < times.size(); ++i) take(i, 0, first[static_cast<std::int64_t>(i)]);
  pass(setup, known, first, times, take, out.frames);
  if (!sink) out.states = to_physical(setup.model, kept, 2, start.value);
  return merged(std::move(out), members);
}

Forecast with_half_steps(const Setup& setup, const Physical& start, const Times& times, const Forecast& done,
                         const SampleContexts& contexts) {
  const auto members = static_cast<std::size_t>(member_count(setup));
  const std::size_t together = micro_batch_samples(setup, start.value);
  std::vector<Tensor> states;
  Forecast out;
  for (std::size_t first = 0; first < times.size(); first += together) {
    const std::size_t end = std::min(first + together, times.size());
    std::vector<std::vector<double>> lengths;
    for (std::size_t row = first * members; row < end * members; ++row) {
      const auto& way = members == 1 ? done : done.members[row % members];
      auto& own = lengths.emplace_back();
      for (const auto& frame : way.frames[row / members]) {
        for (const auto& step : frame.steps) own.push_back(step.step);
      }
    }
    const auto halves = solvers::half_steps(std::move(lengths));
    const Setup again{setup.model, *halves, setup.memory, setup.any_spacing, setup.kept};
    const auto from = static_cast<std::ptrdiff_t>(first), to = static_cast<std::ptrdiff_t>(end);
    const auto some =
        contexts.empty() ? contexts : SampleContexts(contexts.begin() + from, contexts.begin() + to);
    auto part = forecast(again, {start.value.slice(0, from, to)}, {times.begin() + from, times.begin() + to},
                         {}, some);
    // Parts may differ in their longest sample.
    auto sizes = part.states.value.sizes().vec();
    sizes[1] = most_frames(times);
    states.push_back(torch::full(sizes, NAN, part.states.value.options()));
    states.back().narrow(1, 0, part.states.value.size(1)).copy_(part.states.value);
    out.frames.insert(out.frames.end(), part.frames.begin(), part.frames.end());
  }
  out.states = {torch::cat(states)};
  return out;
}

}  // namespace cvf::rollout
