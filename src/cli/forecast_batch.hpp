// Some samples of `cvf rollout` into its file, with spread and error bars where there are such.
#pragma once

#include <functional>
#include <optional>

#include "cli/error_bars.hpp"
#include "rollout/forecast_file.hpp"
#include "runtime/departures.hpp"

namespace cvf::cli {

/// What a forecast is written to, and what is told of it.
struct Writing {
  rollout::ForecastFile& file;
  std::optional<ErrorBars>& bars;
  std::function<void()> frame_done;
};

/// A forecast, its frames outside of training marked, with what is said of these.
struct MarkedForecast {
  rollout::Forecast forecast;
  runtime::Departures departures;
};

/// The samples that are forecast together; `first` is the place of the first of them in the file.
struct ForecastBatch {
  std::span<const std::size_t> samples;
  std::size_t first;
  rollout::StateArray start;
  rollout::Times times;
  rollout::SampleContexts contexts;

  MarkedForecast run(const rollout::Setup& setup, const Writing& writing) const;

 private:
  using Doubts = std::vector<std::vector<double>>;  // of each frame of each sample
  rollout::Forecast streamed(const rollout::Setup& setup, const Writing& writing, Doubts& doubts,
                             runtime::Departures& departures) const;
  rollout::Forecast doubled(const rollout::Setup& setup, const Writing& writing, Doubts& doubts,
                            runtime::Departures& departures) const;
  void write_value_bars(const Writing& writing, std::size_t row, std::size_t frame,
                        const rollout::StateArray& scales) const;
};

}  // namespace cvf::cli
