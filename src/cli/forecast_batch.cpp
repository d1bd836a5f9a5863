#include "cli/forecast_batch.hpp"

#include <type_traits>

#include "core/interrupt.hpp"

namespace cvf::cli {

using evaluate::Score;
using rollout::Forecast;
using rollout::StateArray;
using runtime::Departures;

namespace {

void add_state(Departures& departures, std::size_t row, std::size_t frame, double time,
               const StateArray& state) {
  state.visit([&](auto values) {
    using Value = std::remove_const_t<typename decltype(values)::element_type>;
    departures.add_state<Value>(row, frame, time, values);
  });
}

}  // namespace

MarkedForecast ForecastBatch::run(const rollout::Setup& setup, const Writing& writing) const {
  for (std::size_t i = 0; i < contexts.size(); ++i) writing.file.write_context(first + i, *contexts[i]);
  auto& bars = writing.bars;
  Doubts doubts;
  Departures departures(setup.model->facts().state, samples.size(), setup.model->conditioned());
  auto forecast = bars && bars->score() == Score::step_doubling
                      ? doubled(setup, writing, doubts, departures)
                      : streamed(setup, writing, doubts, departures);
  for (std::size_t i = 0; i < forecast.frames.size(); ++i) {
    for (const auto& frame : forecast.frames[i]) departures.add_steps(i, times[i], frame.steps);
    for (std::size_t k = 0; k < forecast.frames[i].size(); ++k)
      departures.mark(i, k, forecast.frames[i][k].row_status);
  }
  if (bars && bars->score() == Score::rupture)
    bars->add_cost(judge_steps(setup, start, times, forecast, contexts));
  writing.file.write_records(first, forecast.frames);
  for (std::size_t i = 0; bars && i < samples.size(); ++i) {
    if (bars->score() == Score::rupture) doubts.push_back(evaluate::doubts(forecast, i, times[i]));
    writing.file.write_error_bars(first + i, bars->of(samples[i], doubts[i], times[i]));
  }
  return {std::move(forecast), std::move(departures)};
}

void ForecastBatch::write_value_bars(const Writing& writing, std::size_t row, std::size_t frame,
                                     const StateArray& scales) const {
  const double elapsed = times[row][frame] - times[row][0];
  writing.file.write_beside("value_bar", first + row, frame,
                            frame == 0 ? scales : writing.bars->of_values(scales, elapsed));
}

// Frames go to the file as they come, so long horizons need no memory.
Forecast ForecastBatch::streamed(const rollout::Setup& setup, const Writing& writing, Doubts& doubts,
                                 Departures& departures) const {
  const bool by_spread = writing.bars && writing.bars->score() == Score::spread;
  for (std::size_t i = 0; by_spread && i < times.size(); ++i)
    doubts.emplace_back(times[i].size(), evaluate::infinite).front() = 0;
  const auto sink = [&](std::size_t row, std::size_t frame, const StateArray& state,
                        const StateArray& spread) {
    interrupt::throw_if_requested("no forecast was written");
    writing.file.write(first + row, frame, state);
    add_state(departures, row, frame, times[row][frame], state);
    if (spread.defined()) writing.file.write_beside("spread", first + row, frame, spread);
    if (by_spread) {
      const auto scales = evaluate::value_scales(spread);
      if (frame > 0) doubts[row][frame] = evaluate::frame_score(scales);
      write_value_bars(writing, row, frame, scales);
    }
    writing.frame_done();
  };
  return rollout::forecast(setup, start, times, sink, contexts);
}

// Both ways must be there before their difference is.
Forecast ForecastBatch::doubled(const rollout::Setup& setup, const Writing& writing, Doubts& doubts,
                                Departures& departures) const {
  auto forecast = rollout::forecast(setup, start, times, {}, contexts);
  auto doubt = evaluate::doubt_of(Score::step_doubling, setup, start, times, forecast, contexts);
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (std::size_t k = 0; k < times[i].size(); ++k) {
      interrupt::throw_if_requested("no forecast was written");
      writing.file.write(first + i, k, forecast.states[i][k]);
      add_state(departures, i, k, times[i][k], forecast.states[i][k]);
      if (forecast.spread.defined()) writing.file.write_beside("spread", first + i, k, forecast.spread[i][k]);
      write_value_bars(writing, i, k, doubt.values[i][k]);
      writing.frame_done();
    }
  }
  doubts = std::move(doubt.frames);
  writing.bars->add_cost(doubt.evaluations);
  return forecast;
}

}  // namespace cvf::cli
