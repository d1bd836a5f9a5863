#include "evaluate/trust.hpp"

#include <algorithm>
#include <cmath>

#include "evaluate/doubt.hpp"
#include "solvers/solver.hpp"

namespace cvf::evaluate {
namespace {

constexpr int lead_times = 3, parts = 4;

// The root mean square of each frame of values [T,C,...].
std::vector<double> frame_sizes(const torch::Tensor& values) {
  const torch::Tensor sizes = values.to(torch::kDouble).square().flatten(1).mean(1).sqrt().contiguous();
  return {sizes.data_ptr<double>(), sizes.data_ptr<double>() + sizes.numel()};
}

}  // namespace

bool TrustRecord::Signal::known() const {
  return std::any_of(samples.begin(), samples.end(),
                     [](const auto& own) { return !own.empty() && std::isfinite(own.front()); });
}

metrics::Track TrustRecord::Signal::track(std::size_t sample, std::size_t frames,
                                          const std::vector<double>& errors) const {
  const auto end = static_cast<std::ptrdiff_t>(frames);
  return {{samples[sample].begin(), samples[sample].begin() + end}, {errors.begin(), errors.begin() + end}};
}

void TrustRecord::add(const Truth& truth, const rollout::Forecast& forecast,
                      const rollout::Forecast* halves) {
  for (std::size_t i = 0; i < truth.rows(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    const auto& times = truth.times[i];
    const torch::Tensor states = rollout::tensor_of(forecast.states)[row];
    std::vector<double> elapsed;
    for (const double t : times) elapsed.push_back(t - times[0]);
    const std::vector<double> unknown(times.size(), infinite);
    const std::vector<double> all[]{
        doubts(forecast, i, times),
        halves != nullptr ? frame_sizes(states - rollout::tensor_of(halves->states)[row]) : unknown,
        forecast.spread.defined() ? frame_sizes(rollout::tensor_of(forecast.spread)[row]) : unknown, elapsed,
        frame_sizes(states - states.slice(0, 0, 1))};
    const auto count = static_cast<std::ptrdiff_t>(times.size());
    for (std::size_t s = 0; s < signals_.size(); ++s)
      signals_[s].samples.emplace_back(all[s].begin() + 1, all[s].begin() + count);
    const auto error = truth.errors(rollout::tensor_of(forecast.states), i);
    errors_.emplace_back(error.begin() + 1, error.end());
  }
}

void TrustRecord::add_search(const rollout::Forecast& judged, std::int64_t evaluations, double delta_min) {
  if (evaluations == 0) return;
  search_.evaluations += evaluations;
  const auto add = [&](const std::vector<std::vector<rollout::Frame>>& samples) {
    for (const auto& frames : samples) {
      for (const auto& frame : frames) {
        for (const auto& step : frame.steps) {
          ++search_.steps;
          if (!solvers::gcs_takes(step.error, step.step, delta_min)) ++search_.shortened;
        }
      }
    }
  };
  if (judged.members.empty()) add(judged.frames);
  for (const auto& member : judged.members) add(member.frames);
}

Trust TrustRecord::trust() const {
  std::vector<const Signal*> known;
  for (const auto& signal : signals_) {
    if (signal.known()) known.push_back(&signal);
  }
  Trust out{.samples = errors_.size(), .search = search_};
  // Time and distance alone are nobody's doubt.
  if (known.size() < 3) return out;
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < errors_.size(); ++i) {
    const auto finite_at = [&](std::size_t k) {
      return std::isfinite(errors_[i][k]) && std::all_of(known.begin(), known.end(), [&](const Signal* s) {
               return std::isfinite(s->samples[i][k]);
             });
    };
    std::size_t length = 0;
    while (length < errors_[i].size() && finite_at(length)) ++length;
    lengths.push_back(length);
    out.pairs += length;
  }
  if (out.pairs == 0) return out;
  for (const auto* signal : known) {
    std::vector<metrics::Track> tracks;
    for (std::size_t i = 0; i < errors_.size(); ++i)
      tracks.push_back(signal->track(i, lengths[i], errors_[i]));
    out.signals.push_back({signal->name, signal->about, metrics::rank_correlation_within(tracks),
                           metrics::rank_correlation_pooled(tracks)});
    if (out.reliability_of.empty() || signal->name == "spread") {
      out.reliability_of = signal->name;
      out.reliability = metrics::reliability_within(tracks, lead_times, parts);
    }
  }
  return out;
}

}  // namespace cvf::evaluate
