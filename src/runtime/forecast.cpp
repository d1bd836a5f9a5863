#include "runtime/forecast.hpp"

#include <cmath>
#include <filesystem>
#include <numeric>

#include "core/errors.hpp"
#include "core/scores.hpp"

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

// One call: states of some rows, and the velocity that a solver asks.
class Call {
 public:
  template <class T>
  Call(const Model& model, const T* states, std::size_t rows, const Conditions& conditions, int threads)
      : model_(model),
        contexts_(model, conditions.contexts, rows),
        threads_(threads),
        start(solvers::host_states<float>(rows, model.values())) {
    if (threads < 1) throw UsageError("{} threads: give one or more", threads);
    model.to_model(states, rows, start->data<float>());
  }

  Batch velocity(const solvers::BatchQuery& asked) const {
    const std::size_t rows = asked.state->rows();
    Query query{static_cast<std::int64_t>(rows), asked.state->data<float>(), asked.dt};
    Contexts::Seen seen;
    if (!contexts_.empty()) {
      std::vector<std::int64_t> samples(rows);
      std::vector<double> begin(rows);
      for (std::size_t k = 0; k < rows; ++k) samples[k] = asked.who.sample(k), begin[k] = asked.who.time(k);
      seen = contexts_.over(samples, begin, asked.dt);
      query.conditions = seen.conditions.data();
      query.beside = seen.beside.data();
    }
    Batch out = asked.state->empty(rows);
    model_.velocity(query, out->data<float>(), threads_);
    return out;
  }

  Trace solve(const solvers::Solver& solver, const std::vector<double>& begin,
              const std::vector<std::vector<double>>& targets, const solvers::BatchSink& sink) const {
    solvers::Schedule schedule{.start_times = begin, .targets = targets};
    Trace out;
    for (std::size_t i = 0; i < begin.size(); ++i) {
      out.times.push_back({begin[i]});
      out.times[i].insert(out.times[i].end(), targets[i].begin(), targets[i].end());
    }
    schedule.check(start->rows());
    for (std::size_t i = 0; i < begin.size() && !contexts_.empty(); ++i) {
      contexts_.check_covers(i, begin[i], out.times[i].back());
      schedule.breaks.push_back(model::jumps(contexts_.of(i)));
    }
    out.outcome = integrate(solver, [this](const solvers::BatchQuery& asked) { return velocity(asked); },
                            start, schedule, sink, {.steps = true});
    return out;
  }

  void check_covers(std::size_t sample, double from, double to) const {
    if (!contexts_.empty()) contexts_.check_covers(sample, from, to);
  }

 private:
  const Model& model_;
  Contexts contexts_;
  int threads_;

 public:
  Batch start;  // in model units
};

template <class T>
Trace move(const Model& model, const solvers::Solver& solver, T* states, std::size_t rows,
           std::span<const double> dt, const Conditions& conditions, int threads) {
  check_steps(dt, rows);
  const Call call(model, states, rows, conditions, threads);
  const auto begin = start_times(conditions, rows);
  std::vector<std::vector<double>> targets;
  for (std::size_t i = 0; i < rows; ++i) targets.push_back({begin[i] + dt[i]});
  return call.solve(solver, begin, targets,
                    [&](std::int64_t sample, std::size_t, const solvers::States& reached, std::size_t row) {
                      model.to_physical(reached.data<float>() + row * model.values(), 1,
                                        states + static_cast<std::size_t>(sample) * model.values());
                    });
}

}  // namespace

std::vector<solvers::Frame> Trace::frames(std::size_t sample) const {
  return solvers::frames_of(outcome, sample, {times[sample].begin() + 1, times[sample].end()}, false);
}

template <class T>
Trace forecast(const Model& model, const T* states, std::size_t rows,
               const std::vector<std::vector<double>>& times, const Conditions& conditions, int threads,
               const Visit<T>& visit) {
  if (times.size() != rows && times.size() != 1)
    throw UsageError("{} states have {} lists of times: give one for each, or one for all", rows,
                     times.size());
  const Call call(model, states, rows, conditions, threads);
  std::vector<T> reached(model.values());
  return call.solve(
      model.solver(), start_times(conditions, rows),
      times.size() == rows ? times : std::vector(rows, times.front()),
      [&](std::int64_t sample, std::size_t target, const solvers::States& all, std::size_t row) {
        model.to_physical(all.data<float>() + row * model.values(), 1, reached.data());
        visit(static_cast<std::size_t>(sample), target, reached.data());
      });
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
  const Call call(model, states, rows, conditions, threads);
  const auto begin = start_times(conditions, rows);
  std::vector<double> half(rows), middle_times(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    call.check_covers(i, begin[i], begin[i] + dt[i]);
    half[i] = dt[i] / 2, middle_times[i] = begin[i] + half[i];
  }
  const auto ask = [&](const Batch& at, std::span<const double> steps, std::span<const double> when) {
    return call.velocity({at, steps, {.ahead = when}});
  };
  const Batch straight = ask(call.start, dt, begin), first = ask(call.start, half, begin);
  const Batch middle = call.start->empty(rows);
  const double one[]{1}, rupture[]{0.5, 0.5, -1}, long_side[]{0, 0, 1};
  middle->combine(*call.start, half, {&first, 1}, one);
  const Batch ways[]{first, ask(middle, half, middle_times), straight};
  const auto broken = solvers::row_squares(ways, rupture), size = solvers::row_squares(ways, long_side);
  std::vector<double> out;
  for (std::size_t i = 0; i < rows; ++i) out.push_back(cvf::nre(std::sqrt(broken[i]), std::sqrt(size[i])));
  return out;
}

metrics::Calibration calibration_of(const Model& model) {
  const std::string file = metrics::calibration_file(model.path());
  const auto making = fmt::format("make it with: cvf evaluate {} --calibrate", model.path());
  if (!std::filesystem::exists(file))
    throw ModelError("{}: error bars need this calibration; {}", file, making);
  auto out = metrics::load_calibration(file);
  const std::string why = out.objection(model.checkpoint(), model.solver_choice().to_toml());
  if (!why.empty()) throw ModelError("{}: {}; {}", file, why, making);
  if (out.score != metrics::Signal::rupture) {
    throw ModelError("{}: compares errors with another score than the sum of ruptures; {} --score rupture",
                     file, making);
  }
  return out;
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
