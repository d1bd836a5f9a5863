#include "evaluate/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "metrics/trust.hpp"

namespace cvf::evaluate {
namespace {

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

// Nine trajectories of ten stay below this error / doubt in each octave. An octave without frames has the
// shape of the one after it.
std::vector<double> shape_of(const Calibration& c, std::span<const Trial> trials) {
  std::vector<std::vector<double>> worst(octaves);
  for (const auto& trial : trials) {
    std::vector<double> here(octaves, 0);
    for (std::size_t k = 1; k < trial.doubt.size(); ++k) {
      const double ratio = trial.error[k] / trial.doubt[k];
      auto& most = here[c.octave(trial.times[k] - trial.times[0])];
      if (std::isfinite(ratio)) most = std::max(most, ratio);
    }
    for (std::size_t i = 0; i < octaves; ++i) {
      if (here[i] > 0) worst[i].push_back(here[i]);
    }
  }
  std::vector<double> out(octaves, 1);
  for (std::size_t i = octaves; i-- > 0;) {
    std::sort(worst[i].begin(), worst[i].end());
    if (!worst[i].empty()) {
      out[i] = worst[i][worst[i].size() * 9 / 10];
    } else if (i + 1 < octaves) {
      out[i] = out[i + 1];
    }
  }
  return out;
}

double worst_ratio(const Calibration& c, const Trial& trial) {
  std::vector<double> scores;
  for (std::size_t k = 1; k < trial.doubt.size(); ++k)
    scores.push_back(c.shape_at(trial.times[k] - trial.times[0]) * trial.doubt[k]);
  return metrics::worst_ratio(scores, std::span(trial.error).subspan(1));
}

// |error| / value_scales of each frame of a sample; an error that is not a number is beyond every bar.
std::vector<std::vector<double>> ratios_of(const Truth& truth, const rollout::Forecast& forecast,
                                           const Doubt& doubt, std::size_t sample) {
  std::vector<std::vector<double>> out;
  if (!doubt.values.defined()) return out;
  const auto i = static_cast<std::int64_t>(sample);
  const torch::Tensor all =
      (rollout::tensor_of(forecast.states)[i] - truth.states[i]).abs().to(torch::kDouble) /
      rollout::tensor_of(doubt.values)[i].to(torch::kDouble).clamp_min(metrics::least_score);
  const torch::Tensor known =
      torch::where(torch::isnan(all), torch::full_like(all, infinite), all).contiguous();
  const std::int64_t size = known[0].numel();
  for (std::size_t k = 0; k < truth.times[sample].size(); ++k) {
    const double* first = known.data_ptr<double>() + static_cast<std::int64_t>(k) * size;
    out.push_back(thinned({first, first + size}));
  }
  return out;
}

// The numbers of each trajectory that has frames in an octave.
class Binned {
 public:
  Binned(const Calibration& c, std::span<const Trial> trials) : all_(octaves) {
    for (const auto& trial : trials) {
      std::vector<BinOfTrajectory> own(octaves);
      for (std::size_t k = 1; k < trial.times.size(); ++k)
        own[c.octave(trial.times[k] - trial.times[0])].push_back(numbers_of(trial, k));
      for (std::size_t i = 0; i < octaves; ++i) {
        if (!own[i].empty()) all_[i].push_back(std::move(own[i]));
      }
    }
  }
  const std::vector<BinOfTrajectory>& octave(std::size_t i) const { return all_[i]; }

 private:
  const std::vector<double>* numbers_of(const Trial& trial, std::size_t frame) {
    if (!trial.ratios.empty()) return &trial.ratios[frame];
    const double ratio = trial.error[frame] / trial.doubt[frame];
    singles_.push_back({std::isnan(ratio) || std::isinf(trial.doubt[frame]) ? infinite : ratio});
    return &singles_.back();
  }

  std::vector<std::vector<BinOfTrajectory>> all_;
  std::deque<std::vector<double>> singles_;
};

}  // namespace

std::vector<Trial> trials(const rollout::Setup& setup, const data::Source& source,
                          std::span<const std::size_t> samples, const Viewing& viewing, Score score) {
  rollout::check_fits(source, setup.model->facts(), setup.any_spacing);
  TruthReader reader(source, viewing);
  Progress progress("error bars", samples.size(), "samples");
  const auto together = static_cast<std::size_t>(viewing.together);
  std::vector<Trial> out;
  for (std::size_t first = 0; first < samples.size(); first += together) {
    interrupt::throw_if_requested("nothing was written");
    const Truth truth = reader.read(samples.subspan(first, std::min(together, samples.size() - first)));
    const auto forecast = rollout::forecast(setup, truth.start(), truth.times, {}, truth.contexts);
    const Doubt doubt = doubt_of(score, setup, truth.start(), truth.times, forecast, truth.contexts);
    for (std::size_t i = 0; i < truth.rows(); ++i) {
      out.push_back({truth.times[i], doubt.frames[i], truth.errors(rollout::tensor_of(forecast.states), i),
                     ratios_of(truth, forecast, doubt, i)});
    }
    progress.advance(truth.rows());
  }
  return out;
}

Calibration calibrate(std::span<const Trial> trials, std::span<const Trial> for_shape) {
  Calibration out;
  out.shortest_interval = infinite;
  bool measured = false;
  for (const auto& trial : trials) {
    measured = measured || std::isfinite(trial.doubt.at(1));
    out.unbounded += has_unknown(trial.doubt) ? 1 : 0;
    widen(out, trial.times);
  }
  if (!measured) {
    throw UsageError(
        "this solver measures no error of its own steps, so there is nothing to calibrate; give "
        "--solver gcs, which judges each step by its NRE, or --score step_doubling");
  }
  out.shape = shape_of(out, for_shape);
  std::vector<double> ratios;
  for (const auto& trial : trials) ratios.push_back(worst_ratio(out, trial));
  out.set_ratios(std::move(ratios));
  const Binned binned(out, trials);
  for (std::size_t i = 0; i < octaves; ++i) out.bins.add(binned.octave(i));
  return out;
}

Coverage coverage_of(const Calibration& calibration, double wanted, std::span<const Trial> trials) {
  Coverage out{.score = calibration.score,
               .wanted = wanted,
               .factor = calibration.factor(wanted),
               .samples = trials.size()};
  // Given the calibration, the probability to be inside is Beta distributed with about this variance.
  const double draws =
      1 / static_cast<double>(calibration.trajectories + 2) + 1 / static_cast<double>(trials.size());
  out.scatter = std::sqrt(wanted * (1 - wanted) * draws);
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
  const Binned binned(calibration, trials);
  for (std::size_t i = 0; calibration.bins.known() && i < octaves; ++i) {
    const double to = std::ldexp(calibration.horizon, static_cast<int>(i + 1) - static_cast<int>(octaves));
    BinCoverage bin{.from = i == 0 ? 0 : to / 2,
                    .to = to,
                    .factor = calibration.bins.factor(i, wanted),
                    .samples = binned.octave(i).size()};
    if (bin.samples == 0 || std::isinf(bin.factor)) continue;
    for (const auto& frames : binned.octave(i))
      bin.reached += share_within(frames, bin.factor) / static_cast<double>(bin.samples);
    out.bins.push_back(bin);
  }
  return out;
}

}  // namespace cvf::evaluate
