#include "evaluate/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/progress.hpp"
#include "metrics/trust.hpp"

namespace cvf::evaluate {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

bool has_unknown(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void widen(Calibration& c, const std::vector<double>& times) {
  c.horizon = std::max(c.horizon, times.back() - times.front());
  for (std::size_t k = 1; k < times.size(); ++k) {
    c.shortest_interval = std::min(c.shortest_interval, times[k] - times[k - 1]);
    c.longest_interval = std::max(c.longest_interval, times[k] - times[k - 1]);
  }
}

}  // namespace

double Trial::worst_ratio() const {
  return metrics::worst_ratio(std::span(doubt).subspan(1), std::span(error).subspan(1));
}

std::vector<Trial> trials(const rollout::Setup& setup, const data::Source& source,
                          std::span<const std::size_t> samples, const Viewing& viewing) {
  rollout::check_fits(source, setup.model);
  TruthReader reader(source, viewing);
  Progress progress("error bars", samples.size(), "samples");
  const auto together = static_cast<std::size_t>(viewing.together);
  std::vector<Trial> out;
  for (std::size_t first = 0; first < samples.size(); first += together) {
    interrupt::throw_if_requested("nothing was written");
    const Truth truth = reader.read(samples.subspan(first, std::min(together, samples.size() - first)));
    const auto forecast = rollout::forecast(setup, truth.start(), truth.times);
    for (std::size_t i = 0; i < truth.rows(); ++i) {
      out.push_back({truth.times[i], doubts(forecast.frames[i]), truth.errors(forecast.states.value, i)});
    }
    progress.advance(truth.rows());
  }
  return out;
}

Calibration calibrate(std::span<const Trial> trials) {
  Calibration out;
  out.shortest_interval = infinite;
  std::vector<double> ratios;
  bool measured = false;
  for (const auto& trial : trials) {
    ratios.push_back(trial.worst_ratio());
    measured = measured || std::isfinite(trial.doubt.at(1));
    out.unbounded += has_unknown(trial.doubt) ? 1 : 0;
    widen(out, trial.times);
  }
  if (!measured) {
    throw UsageError(
        "this solver measures no error of its own steps, so there is nothing to calibrate; give "
        "--solver gcs, which judges each step by its NRE");
  }
  out.set_ratios(std::move(ratios));
  return out;
}

Coverage coverage_of(const Calibration& calibration, double wanted, std::span<const Trial> trials) {
  Coverage out{.wanted = wanted, .factor = calibration.factor(wanted), .samples = trials.size()};
  std::vector<double> last_bars, last_errors;
  for (const auto& trial : trials) {
    const auto bars = calibration.bars(out.factor, trial.doubt, trial.times);
    bool inside = true;
    for (std::size_t k = 1; k < bars.size(); ++k)
      inside = inside && (std::isinf(bars[k]) || trial.error[k] <= bars[k]);
    out.inside += inside ? 1 : 0;
    out.unbounded += has_unknown(bars) ? 1 : 0;
    last_bars.push_back(bars.back());
    last_errors.push_back(std::isnan(trial.error.back()) ? infinite : trial.error.back());
  }
  out.last_bar = median(std::move(last_bars));
  out.last_error = median(std::move(last_errors));
  return out;
}

}  // namespace cvf::evaluate
