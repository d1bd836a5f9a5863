#include "rollout/protocols.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "core/scores.hpp"
#include "rollout/batches.hpp"
#include "solvers/members.hpp"
#include "solvers/solver.hpp"

namespace cvf::rollout {
namespace {

using solvers::States;

std::size_t most_frames(const Times& times) {
  std::size_t most = 1;
  for (const auto& t : times) most = std::max(most, t.size());
  return most;
}

void check(const StateArray& start, const Times& times) {
  if (times.size() != start.size()) {
    throw UsageError("{} states have {} lists of times", start.size(), times.size());
  }
  solvers::Schedule schedule;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i].empty()) throw UsageError("sample {}: has no time of its given frame", i);
    schedule.start_times.push_back(times[i][0]);
    schedule.targets.emplace_back(times[i].begin() + 1, times[i].end());
  }
  check_start(*start.rows, schedule);  // here, where samples have their own numbers: below they are rows
}

// The true frames that a teacher gives.
void check_finite(const StateArray& states) {
  const auto finite = states.rows->finite_rows();
  const auto bad = std::find(finite.begin(), finite.end(), char{0});
  if (bad == finite.end()) return;
  const auto row = bad - finite.begin();
  throw DataError("sample {}: frame {} is not finite", row / states.leading[1], row % states.leading[1]);
}

// The given frame of each sample, [B,T,C,...] -> [B,C,...].
StateArray first_frames(const StateArray& states) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < states.size(); ++i)
    rows.push_back(i * static_cast<std::size_t>(states.leading[1]));
  return {{states.leading[0]}, states.state, take_rows(*states.rows, rows)};
}

// The states [B,T,C,...] of one member, from those of all rows.
StateArray member_of(const StateArray& rows, std::size_t member, std::size_t members) {
  const auto frames = static_cast<std::size_t>(rows.leading[1]);
  StateArray out = nowhere({rows.leading[0] / static_cast<std::int64_t>(members), rows.leading[1]}, rows);
  for (std::size_t i = 0; i < out.rows->rows(); ++i)
    out.rows->copy_row(i, *rows.rows, (i / frames * members + member) * frames + i % frames);
  return out;
}

// A row for every member of each sample.
Times for_members(const Times& times, std::size_t members) {
  if (members == 1) return times;
  Times out;
  for (const auto& sample : times) out.insert(out.end(), members, sample);
  return out;
}

// From a row for every member to one for every sample.
Forecast merged(Forecast rows, std::size_t members) {
  if (members == 1) return rows;
  Forecast out;
  out.members.resize(members);
  for (std::size_t row = 0; row < rows.frames.size(); ++row) {
    if (row % members == 0) {
      out.frames.push_back(rows.frames[row]);
    } else {
      solvers::add_member(out.frames.back(), rows.frames[row]);
    }
    out.members[row % members].frames.push_back(std::move(rows.frames[row]));
  }
  if (!rows.states.defined()) return out;
  std::vector<Batch> each;
  for (std::size_t m = 0; m < members; ++m) {
    out.members[m].states = member_of(rows.states, m, members);
    each.push_back(out.members[m].states.rows);
  }
  rows.states = {};
  const StateArray& like = out.members[0].states;
  const auto [mean, spread] = solvers::over_members(each);
  out.states = {like.leading, like.state, mean};
  out.spread = {like.leading, like.state, spread};
  return out;
}

// What every protocol begins with and fills: the model made ready, the first states of all rows in model
// units, and physical states [B,T,...] with a record for each frame.
struct Sheet {
  Prepared model;
  StateArray like;
  Times times;  // of all rows
  Batch first;
  StateArray states;
  std::vector<std::vector<Frame>> frames;

  Sheet(const Setup& setup, const StateArray& start, const Times& of_samples, const SampleContexts& contexts)
      : model(setup, start, contexts), like(start), times(for_members(of_samples, model.members())) {
    for (std::size_t i = 0; i < of_samples.size(); ++i)
      model.check_covers(i, of_samples[i].front(), of_samples[i].back());
    first = solvers::for_members(model.to_model(start), model.members());
    for (const auto& t : times) frames.emplace_back(t.size());
  }

  // Room for the states, with the given ones.
  void keep_states() {
    states = nowhere({static_cast<std::int64_t>(times.size()), static_cast<std::int64_t>(most_frames(times))},
                     like);
    const StateArray given = nowhere({static_cast<std::int64_t>(times.size())}, like);
    model.to_physical(first, given);
    for (std::size_t row = 0; row < times.size(); ++row) put(row, 0, given[row]);
  }

  void put(std::size_t row, std::size_t frame, const StateArray& state) {
    const auto width = static_cast<std::size_t>(states.leading[1]);
    states.rows->copy_row(row * width + frame, *state.rows, 0);
  }

  void put(const Leg& leg, bool reached, const StateArray& state, Frame frame) {
    if (reached) put(leg.row, leg.frame, state);
    frames[leg.row][leg.frame] = std::move(frame);
  }

  // A leg of its own to every frame: from the frame before it, or from the given one.
  std::vector<Leg> legs(bool from_before) const {
    std::vector<Leg> out;
    for (std::size_t i = 0; i < times.size(); ++i) {
      for (std::size_t k = 1; k < times[i].size(); ++k)
        out.push_back({i, k, times[i][from_before ? k - 1 : 0], times[i][k]});
    }
    return out;
  }

  Forecast take() { return merged({std::move(states), std::move(frames)}, model.members()); }
};

}  // namespace

void check_times(const std::string& file, std::size_t sample, const std::vector<double>& times) {
  solvers::check_times(sample, times.at(0), {times.begin() + 1, times.end()}, false, file + ": ");
  if (times.size() > 1 && times[0] == times[1]) {
    throw DataError("{}: sample {}: the time {} is there twice", file, sample, times[0]);
  }
}

Forecast time_informed(const Setup& setup, const StateArray& start, const Times& of_samples,
                       const SampleContexts& contexts) {
  check(start, of_samples);
  Sheet sheet(setup, start, of_samples, contexts);
  sheet.keep_states();
  const Times& times = sheet.times;
  const Batch now = sheet.first;  // moves on in place
  std::vector<Leg> legs;
  for (std::size_t i = 0; i < times.size(); ++i) legs.push_back({i, 0, 0, 0});
  for (std::size_t k = 1; !legs.empty(); ++k) {
    std::erase_if(legs, [&](const Leg& leg) { return k >= times[leg.row].size(); });
    for (auto& leg : legs) leg = {leg.row, k, times[leg.row][k - 1], times[leg.row][k]};
    solve(sheet.model, legs, {now, [](const Leg& leg) { return leg.row; }}, start,
          [&](const Leg& leg, const States* ends, std::size_t place, const StateArray& end, Frame frame) {
            if (ends != nullptr) now->copy_row(leg.row, *ends, place);
            sheet.put(leg, ends != nullptr, end, std::move(frame));
          });
    // What stopped stays stopped: later frames say why.
    std::erase_if(legs, [&](const Leg& leg) {
      auto& frames = sheet.frames[leg.row];
      const auto row_status = frames[leg.frame].row_status;
      if (reaches_target(row_status.status)) return false;
      for (std::size_t later = k + 1; later < frames.size(); ++later) frames[later].row_status = row_status;
      return true;
    });
  }
  return sheet.take();
}

Forecast one_step(const Setup& setup, const StateArray& states, const Times& of_samples,
                  const SampleContexts& contexts) {
  const auto width = static_cast<std::size_t>(states.leading.at(1));
  if (width < most_frames(of_samples)) {
    throw UsageError("the samples have {} frames and up to {} times", width, most_frames(of_samples));
  }
  const StateArray start = first_frames(states);
  check(start, of_samples);
  check_finite(states);
  Sheet sheet(setup, start, of_samples, contexts);
  sheet.keep_states();
  const std::size_t members = sheet.model.members();
  const Batch all = sheet.model.to_model(states);
  const auto before = [&](const Leg& leg) { return leg.row / members * width + leg.frame - 1; };
  solve(sheet.model, sheet.legs(true), {all, before}, start,
        [&](const Leg& leg, const States* ends, std::size_t, const StateArray& end, Frame frame) {
          sheet.put(leg, ends != nullptr, end, std::move(frame));
        });
  return sheet.take();
}

Forecast direct(const Setup& setup, const StateArray& start, const Times& of_samples,
                const SampleContexts& contexts) {
  check(start, of_samples);
  Sheet sheet(setup, start, of_samples, contexts);
  sheet.keep_states();
  if (setup.solver.at_targets() != solvers::AtTargets::interpolate) {
    solve(sheet.model, sheet.legs(false), {sheet.first, [](const Leg& leg) { return leg.row; }}, start,
          [&](const Leg& leg, const States* ends, std::size_t, const StateArray& end, Frame frame) {
            sheet.put(leg, ends != nullptr, end, std::move(frame));
          });
    return sheet.take();
  }
  const StateArray one = nowhere({1}, start);
  pass(
      sheet.model, sheet.first, sheet.times,
      [&](std::size_t row, std::size_t frame, const Batch& state) {
        sheet.model.to_physical(state, one);
        sheet.put(row, frame, one);
      },
      sheet.frames);
  for (auto& frames : sheet.frames) accumulate(frames);
  return sheet.take();
}

Forecast forecast(const Setup& setup, const StateArray& start, const Times& of_samples, const FrameSink& sink,
                  const SampleContexts& contexts) {
  check(start, of_samples);
  Sheet sheet(setup, start, of_samples, contexts);
  if (!sink) sheet.keep_states();
  const StateArray one = nowhere({1}, start);
  const auto single = [&](const Batch& state) { return StateArray{{}, start.state, state}; };
  solvers::Meeting meeting(sheet.model.members(), [&](std::size_t sample, std::size_t frame,
                                                      const Batch& mean, const Batch& spread) {
    sink(sample, frame, single(mean), spread != nullptr ? single(spread) : StateArray{});
  });
  const auto take = [&](std::size_t row, std::size_t frame, const Batch& state) {
    sheet.model.to_physical(state, one);
    sink ? meeting.take(row, frame, one.rows) : sheet.put(row, frame, one);
  };
  for (std::size_t i = 0; sink && i < sheet.times.size(); ++i) take(i, 0, sheet.first->narrow(i, 1));
  pass(sheet.model, sheet.first, sheet.times, take, sheet.frames);
  return sheet.take();
}

namespace {

// How one member of a sample went.
template <class AnyForecast>
auto& way_of(AnyForecast& done, std::size_t sample, std::size_t member) {
  return done.members.empty() ? done.frames[sample] : done.members[member].frames[sample];
}

// The lengths of the steps of every row of some samples.
std::vector<std::vector<double>> lengths_of(const Forecast& done, std::size_t members, std::size_t first,
                                            std::size_t end) {
  std::vector<std::vector<double>> out;
  for (std::size_t row = first * members; row < end * members; ++row) {
    auto& own = out.emplace_back();
    for (const auto& frame : way_of(done, row / members, row % members)) {
      for (const auto& step : frame.steps) own.push_back(step.step);
    }
  }
  return out;
}

SampleContexts part_of(const SampleContexts& contexts, std::size_t first, std::size_t end) {
  if (contexts.empty()) return {};
  return {contexts.begin() + static_cast<std::ptrdiff_t>(first),
          contexts.begin() + static_cast<std::ptrdiff_t>(end)};
}

bool has_judged(const Forecast& done, std::size_t members) {
  for (std::size_t row = 0; row < done.frames.size() * members; ++row) {
    for (const auto& frame : way_of(done, row / members, row % members)) {
      for (const auto& step : frame.steps) {
        if (!std::isnan(step.error)) return true;
      }
    }
  }
  return false;
}

// From the start to the end of the last step of any member.
std::vector<double> span_of_steps(const Forecast& done, std::size_t members, std::size_t sample,
                                  double start) {
  double end = start;
  for (std::size_t m = 0; m < members; ++m) {
    for (const auto& frame : way_of(done, sample, m)) {
      if (!frame.steps.empty()) end = std::max(end, frame.steps.back().time + frame.steps.back().step);
    }
  }
  return end > start ? std::vector{start, end} : std::vector{start};
}

}  // namespace

Forecast with_half_steps(const Setup& setup, const StateArray& start, const Times& times,
                         const Forecast& done, const SampleContexts& contexts) {
  const auto members = static_cast<std::size_t>(setup.model->members());
  const std::size_t together = micro_batch_samples(setup, *start.rows), width = most_frames(times);
  Forecast out;
  out.states = nowhere({start.leading[0], static_cast<std::int64_t>(width)}, start);
  for (std::size_t first = 0; first < times.size(); first += together) {
    const std::size_t end = std::min(first + together, times.size());
    const auto halves = solvers::half_steps(lengths_of(done, members, first, end));
    const Setup again{setup.model, *halves, setup.memory, setup.any_spacing, setup.kept};
    const auto from = static_cast<std::ptrdiff_t>(first), to = static_cast<std::ptrdiff_t>(end);
    const auto part = forecast(again, start.part(first, end - first),
                               {times.begin() + from, times.begin() + to}, {}, part_of(contexts, first, end));
    // Parts may differ in their longest sample.
    const auto frames = static_cast<std::size_t>(part.states.leading[1]);
    for (std::size_t row = 0; row < part.states.rows->rows(); ++row)
      out.states.rows->copy_row((first + row / frames) * width + row % frames, *part.states.rows, row);
    out.frames.insert(out.frames.end(), part.frames.begin(), part.frames.end());
  }
  return out;
}

std::int64_t judge_steps(const Setup& setup, const StateArray& start, const Times& times, Forecast& done,
                         const SampleContexts& contexts) {
  const auto members = static_cast<std::size_t>(setup.model->members());
  const bool able = setup.solver.steps_along_secants() && setup.model->conditioned();
  if (!able || has_judged(done, members)) return 0;
  const std::size_t together = micro_batch_samples(setup, *start.rows);
  const double eta = nre_eta / setup.model->facts().time_unit;
  std::int64_t evaluations = 0;
  for (std::size_t first = 0; first < times.size(); first += together) {
    const std::size_t end = std::min(first + together, times.size());
    const auto judge = solvers::judged_steps(lengths_of(done, members, first, end), eta);
    const Setup again{setup.model, *judge, setup.memory, setup.any_spacing, setup.kept};
    Times spans;
    for (std::size_t i = first; i < end; ++i) spans.push_back(span_of_steps(done, members, i, times[i][0]));
    const auto part = forecast(
        again, start.part(first, end - first), spans,
        [](std::size_t, std::size_t, const StateArray&, const StateArray&) {}, part_of(contexts, first, end));
    for (std::size_t i = first; i < end; ++i) {
      for (std::size_t m = 0; m < members; ++m) {
        auto& way = way_of(done, i, m);
        const Frame& judged = way_of(part, i - first, m).back();
        auto next = judged.steps.begin();
        for (auto& frame : way) {
          for (auto& step : frame.steps) {
            if (next != judged.steps.end()) step.error = (next++)->error;
          }
        }
        evaluations += judged.counts.evaluations;
      }
      if (members == 1) continue;
      for (std::size_t k = 0; k < done.frames[i].size(); ++k)
        done.frames[i][k].steps = done.members[0].frames[i][k].steps;
    }
  }
  return evaluations;
}

}  // namespace cvf::rollout
