#include "runtime/forecast.hpp"

#include <cmath>
#include <limits>

#include "core/errors.hpp"
#include "core/scores.hpp"
#include "runtime/departures.hpp"
#include "runtime/stop.hpp"
#include "solvers/members.hpp"

namespace cvf::runtime {
namespace {

using solvers::Batch;

void check_steps(std::span<const double> dt, std::size_t rows) {
  if (dt.size() != rows) throw UsageError("{} states have {} steps: give one for each", rows, dt.size());
  for (const double step : dt) {
    if (!std::isfinite(step) || step <= 0) throw UsageError("a step of {}: give a time ahead, above 0", step);
  }
}

std::vector<double> start_times(const Conditions& conditions, std::size_t rows) {
  if (conditions.start_times.empty()) return std::vector<double>(rows, 0.0);
  if (conditions.start_times.size() != rows) {
    throw UsageError("{} states have {} start times: give one for each", rows, conditions.start_times.size());
  }
  return conditions.start_times;
}

// One call: the states of some samples, a row for every member of each, and the velocity that a solver asks.
// The model computes in S; T is what the caller has.
template <class S>
class Call {
 public:
  template <class T>
  Call(const Model& model, const T* states, std::size_t samples, const Conditions& conditions, int threads)
      : model_(model),
        members_(model.members()),
        contexts_(model, conditions.contexts, samples),
        threads_(threads),
        states_(solvers::host_states<S>(samples, model.values())) {
    if (threads < 1) throw UsageError("{} threads: give one or more", threads);
    model.to_model(states, samples, states_->template data<S>());
    start_ = solvers::for_members(states_, members_);
  }

  Batch velocity(const solvers::BatchQuery& asked) const {
    check_stop();
    const std::size_t rows = asked.state->rows();
    const auto members = static_cast<std::int64_t>(members_);
    QueryOf<S> query{static_cast<std::int64_t>(rows), asked.state->template data<S>(), asked.dt};
    std::vector<std::int64_t> samples(rows), which(rows);
    for (std::size_t k = 0; k < rows; ++k)
      samples[k] = asked.who.sample(k) / members, which[k] = asked.who.sample(k) % members;
    Contexts::Seen<S> seen;
    if (!contexts_.empty()) {
      std::vector<double> begin(rows);
      for (std::size_t k = 0; k < rows; ++k) begin[k] = asked.who.time(k);
      seen = contexts_.over<S>(samples, begin, asked.dt);
      query.conditions = seen.conditions.data();
      query.beside = seen.beside.data();
    }
    Batch out = asked.state->empty(rows);
    model_.velocity(query, out->template data<S>(), threads_, which);
    return out;
  }

  template <class T>
  Trace solve(const solvers::Solver& solver, const T* given, const std::vector<double>& begin,
              const std::vector<std::vector<double>>& targets, const Visit<T>& visit) const {
    solvers::check_start(*states_, {.start_times = begin, .targets = targets});
    Trace out{.outcome = {}, .times = {}, .members = members_};
    solvers::Schedule schedule;
    for (std::size_t i = 0; i < begin.size(); ++i) {
      auto& times = out.times.emplace_back(std::vector{begin[i]});
      times.insert(times.end(), targets[i].begin(), targets[i].end());
      schedule.start_times.insert(schedule.start_times.end(), members_, begin[i]);
      schedule.targets.insert(schedule.targets.end(), members_, targets[i]);
      if (members_ > 1) out.spreads.emplace_back(times.size(), metrics::infinite).front() = 0;
      if (contexts_.empty()) continue;
      contexts_.check_covers(i, begin[i], times.back());
      schedule.breaks.insert(schedule.breaks.end(), members_, breaks(solver, i));
    }
    Departures departures(model_.spec().state, begin.size(), model_.conditioned());
    for (std::size_t i = 0; i < begin.size(); ++i)
      departures.add_state<T>(i, 0, begin[i], {given + i * model_.values(), model_.values()});
    const Batch reached = solvers::host_states<T>(1, model_.values());
    std::vector<T> scales(model_.values());
    solvers::Meeting meeting(
        members_, [&](std::size_t sample, std::size_t target, const Batch& mean, const Batch& spread) {
          if (spread != nullptr) {
            metrics::value_scales<T>({spread->data<T>(), scales.size()}, model_.cells(), scales.data());
            out.spreads[sample][target + 1] = metrics::frame_score<T>(scales);
          }
          departures.add_state<T>(sample, target + 1, targets[sample][target],
                                  {mean->data<T>(), model_.values()});
          visit(sample, target, mean->data<T>(), spread != nullptr ? spread->data<T>() : nullptr);
        });
    out.outcome = integrate(
        solver, [this](const solvers::BatchQuery& asked) { return velocity(asked); }, start_, schedule,
        [&](std::int64_t row, std::size_t target, const solvers::States& all, std::size_t place) {
          model_.to_physical(all.data<S>() + place * model_.values(), 1, reached->data<T>());
          meeting.take(static_cast<std::size_t>(row), target, reached);
        },
        {.steps = true});
    for (std::size_t row = 0; row < out.outcome.steps.size(); ++row)
      departures.add_steps(row / members_, out.times[row / members_], out.outcome.steps[row]);
    if (members_ > 1) {
      out.rows = std::move(out.outcome);
      out.outcome = solvers::merged(out.rows, members_);
    }
    add(departures, out);
    return out;
  }

  // Of a step from each state, the mean of its members.
  std::vector<double> nre(std::span<const double> dt, const std::vector<double>& begin) const {
    const std::size_t all = dt.size() * members_;
    std::vector<double> whole(all), half(all), from(all), middle_times(all);
    for (std::size_t k = 0; k < all; ++k) {
      const std::size_t i = k / members_;
      if (k % members_ == 0 && !contexts_.empty()) contexts_.check_covers(i, begin[i], begin[i] + dt[i]);
      whole[k] = dt[i], half[k] = dt[i] / 2, from[k] = begin[i], middle_times[k] = begin[i] + half[k];
    }
    const auto ask = [&](const Batch& at, std::span<const double> steps, std::span<const double> when) {
      return velocity({at, steps, {.ahead = when}});
    };
    const Batch straight = ask(start_, whole, from), first = ask(start_, half, from);
    const Batch middle = start_->empty(all);
    const double one[]{1}, rupture[]{0.5, 0.5, -1}, long_side[]{0, 0, 1};
    middle->combine(*start_, half, {&first, 1}, one);
    const Batch ways[]{first, ask(middle, half, middle_times), straight};
    const auto broken = solvers::row_squares(ways, rupture), size = solvers::row_squares(ways, long_side);
    const double eta = nre_eta / model_.spec().time_unit();
    std::vector<double> out(dt.size(), 0);
    for (std::size_t k = 0; k < all; ++k)
      out[k / members_] +=
          cvf::nre(std::sqrt(broken[k]), std::sqrt(size[k]), eta) / static_cast<double>(members_);
    return out;
  }

 private:
  static void add(const Departures& departures, Trace& trace) {
    for (std::size_t i = 0; i < trace.times.size(); ++i) {
      trace.departures.push_back(departures.message(i));
      if (trace.departures.back().empty()) continue;
      auto& records = trace.outcome.target_records[i];
      for (std::size_t frame = 0; frame <= records.size(); ++frame) {
        departures.mark(i, frame, trace.outcome.statuses[i]);
        // The given frame counts for the interval that begins with it.
        if (frame < records.size() && frame == 0) departures.mark(i, frame, records[0].row_status);
        if (frame > 0) departures.mark(i, frame, records[frame - 1].row_status);
      }
    }
  }

  std::vector<double> breaks(const solvers::Solver& solver, std::size_t sample) const {
    const auto& spec = model_.spec();
    if (!passes_targets(solver)) return model::jumps(contexts_.of(sample));
    return model::breaks(spec.context, contexts_.of(sample), {spec.state.delta_min, spec.state.largest_dt});
  }

  const Model& model_;
  std::size_t members_;
  Contexts contexts_;
  int threads_;
  Batch states_, start_;  // of the samples, and of all rows; in model units
};

// work(call) with a Call in the model's own precision
template <class T, class Work>
auto with_call(const Model& model, const T* states, std::size_t samples, const Conditions& conditions,
               int threads, const Work& work) {
  return model.is_double() ? work(Call<double>(model, states, samples, conditions, threads))
                           : work(Call<float>(model, states, samples, conditions, threads));
}

template <class T>
Trace move(const Model& model, const solvers::Solver& solver, T* states, std::size_t rows,
           std::span<const double> dt, const Conditions& conditions, int threads) {
  check_steps(dt, rows);
  const auto begin = start_times(conditions, rows);
  std::vector<std::vector<double>> targets;
  for (std::size_t i = 0; i < rows; ++i) targets.push_back({begin[i] + dt[i]});
  const Visit<T> visit = [&](std::size_t sample, std::size_t, const T* reached, const T* /*spread*/) {
    std::copy_n(reached, model.values(), states + sample * model.values());
  };
  return with_call(model, states, rows, conditions, threads, [&](const auto& call) {
    return call.template solve<T>(solver, states, begin, targets, visit);
  });
}

const solvers::Outcome& rows_of(const Trace& trace) {
  return trace.members == 1 ? trace.outcome : trace.rows;
}

bool has_judged(const Trace& trace) {
  for (const auto& steps : rows_of(trace).steps) {
    for (const auto& step : steps) {
      if (!std::isnan(step.error)) return true;
    }
  }
  return false;
}

// The steps of a forecast, kept for a second pass over them.
template <class T>
struct Way {
  Model model;
  std::vector<T> start;
  std::vector<double> begin;
  Conditions conditions;
  int threads;
  Lists lengths = {};  // of the accepted steps of each row
  Lists ends = {};     // of the last step of each sample, if there is one

  void remember(const Trace& trace) {
    ends.resize(begin.size());
    const auto& rows = rows_of(trace).steps;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      auto& own = lengths.emplace_back();
      for (const auto& step : rows[row]) own.push_back(step.step);
      if (rows[row].empty()) continue;
      const double last = rows[row].back().time + rows[row].back().step;
      auto& end = ends[row / trace.members];
      end.assign(1, end.empty() ? last : std::max(end.front(), last));
    }
  }

  Lists nre() const {
    const auto judge = solvers::judged_steps(lengths, nre_eta / model.spec().time_unit());
    const Visit<T> nobody = [](std::size_t, std::size_t, const T*, const T*) {};
    const Trace again = with_call(
        model, start.data(), begin.size(), conditions, threads,
        [&](const auto& call) { return call.template solve<T>(*judge, start.data(), begin, ends, nobody); });
    Lists out;
    for (const auto& steps : rows_of(again).steps) {
      auto& own = out.emplace_back();
      for (const auto& step : steps) own.push_back(step.error);
    }
    return out;
  }
};

// The same with where it led, to compare that with the way in half steps.
template <class T>
struct Doubling : Way<T> {
  std::vector<std::vector<double>> targets;
  std::vector<std::vector<T>> reached = {};  // [samples], NaN where not reached
  using Way<T>::model, Way<T>::begin;

  Visit<T> keeping(const Visit<T>& visit) {
    for (const auto& own : targets)
      reached.emplace_back(own.size() * model.values(), std::numeric_limits<T>::quiet_NaN());
    return [this, visit](std::size_t sample, std::size_t target, const T* state, const T* spread) {
      std::copy_n(state, model.values(), reached[sample].data() + target * model.values());
      visit(sample, target, state, spread);
    };
  }

  Doubts compare() const {
    Doubts out;
    for (const auto& own : targets) out.emplace_back(own.size() + 1, metrics::infinite).front() = 0;
    const auto halves = solvers::half_steps(this->lengths);
    const Visit<T> visit = [&](std::size_t sample, std::size_t target, const T* state, const T*) {
      const T* whole = reached[sample].data() + target * model.values();
      std::vector<T> apart(model.values()), scales(model.values());
      for (std::size_t i = 0; i < apart.size(); ++i) apart[i] = whole[i] - state[i];
      metrics::value_scales<T>(apart, model.cells(), scales.data());
      out[sample][target + 1] = metrics::frame_score<T>(scales);
    };
    with_call(model, this->start.data(), begin.size(), this->conditions, this->threads,
              [&](const auto& call) {
                return call.template solve<T>(*halves, this->start.data(), begin, targets, visit);
              });
    return out;
  }
};

}  // namespace

template <class T>
Trace forecast(const Model& model, const T* states, std::size_t rows,
               const std::vector<std::vector<double>>& times, const Conditions& conditions, int threads,
               const Visit<T>& visit) {
  if (times.size() != rows && times.size() != 1)
    throw UsageError("{} states have {} lists of times: give one for each, or one for all", rows,
                     times.size());
  const auto begin = start_times(conditions, rows);
  const auto targets = times.size() == rows ? times : std::vector(rows, times.front());
  const auto solve = [&](const Visit<T>& take) {
    return with_call(model, states, rows, conditions, threads, [&](const auto& call) {
      return call.template solve<T>(model.solver(), states, begin, targets, take);
    });
  };
  const auto way = [&] {
    return Way<T>{model, {states, states + rows * model.values()}, begin, conditions, threads};
  };
  const bool able = model.solver().steps_along_secants() && model.spec().field.settings->conditioned();
  if (!model.doubles()) {
    Trace out = solve(visit);
    if (!able || has_judged(out)) return out;
    const auto taken = std::make_shared<Way<T>>(way());
    taken->remember(out);
    out.nre = std::make_shared<OnDemand>([taken] { return taken->nre(); });
    return out;
  }
  const auto doubling = std::make_shared<Doubling<T>>(Doubling<T>{way(), targets});
  Trace out = solve(doubling->keeping(visit));
  doubling->remember(out);
  out.doubling = std::make_shared<OnDemand>([doubling] { return doubling->compare(); });
  if (able && !has_judged(out)) out.nre = std::make_shared<OnDemand>([doubling] { return doubling->nre(); });
  return out;
}

template <class T>
Trace advance(const Model& model, T* states, std::size_t rows, std::span<const double> dt,
              const Conditions& conditions, int threads) {
  return move(model, model.solver(), states, rows, dt, conditions, threads);
}

template <class T>
Trace step(const Model& model, T* states, std::size_t rows, std::span<const double> dt,
           const Conditions& conditions, int threads) {
  static const auto euler = solvers::make("euler");  // without a context, a step of any length is one step
  return move(model, *euler, states, rows, dt, conditions, threads);
}

template <class T>
std::vector<double> nre(const Model& model, const T* states, std::size_t rows, std::span<const double> dt,
                        const Conditions& conditions, int threads) {
  check_steps(dt, rows);
  const auto begin = start_times(conditions, rows);
  return with_call(model, states, rows, conditions, threads,
                   [&](const auto& call) { return call.nre(dt, begin); });
}

#define CVF_RUNTIME(T)                                                                                       \
  template Trace forecast<T>(const Model&, const T*, std::size_t, const std::vector<std::vector<double>>&,   \
                             const Conditions&, int, const Visit<T>&);                                       \
  template Trace advance<T>(const Model&, T*, std::size_t, std::span<const double>, const Conditions&, int); \
  template Trace step<T>(const Model&, T*, std::size_t, std::span<const double>, const Conditions&, int);    \
  template std::vector<double> nre<T>(const Model&, const T*, std::size_t, std::span<const double>,          \
                                      const Conditions&, int);
CVF_RUNTIME(float)
CVF_RUNTIME(double)
#undef CVF_RUNTIME

}  // namespace cvf::runtime
