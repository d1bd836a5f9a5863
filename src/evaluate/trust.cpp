#include "evaluate/trust.hpp"

#include <cmath>

#include "evaluate/calibration.hpp"

namespace cvf::evaluate {
namespace {

constexpr int lead_times = 3, parts = 4;

std::vector<double> distances(const torch::Tensor& states) {  // [T,C,...]
  const torch::Tensor squares =
      (states - states.slice(0, 0, 1)).to(torch::kDouble).square().flatten(1).mean(1).sqrt().contiguous();
  return {squares.data_ptr<double>(), squares.data_ptr<double>() + squares.numel()};
}

}  // namespace

void TrustRecord::add(const Truth& truth, const rollout::Forecast& forecast) {
  for (std::size_t i = 0; i < truth.rows(); ++i) {
    const auto& times = truth.times[i];
    const auto doubt = doubts(forecast.frames[i]), error = truth.errors(forecast.states.value, i),
               distance = distances(forecast.states.value[static_cast<std::int64_t>(i)]);
    for (auto& signal : signals_) signal.tracks.emplace_back();
    for (std::size_t k = 1; k < error.size(); ++k) {
      if (!std::isfinite(doubt[k]) || !std::isfinite(error[k])) break;
      const double scores[] = {doubt[k], times[k] - times[0], distance[k]};
      for (std::size_t s = 0; s < signals_.size(); ++s) {
        signals_[s].tracks.back().score.push_back(scores[s]);
        signals_[s].tracks.back().error.push_back(error[k]);
      }
      ++pairs_;
    }
  }
}

Trust TrustRecord::trust() const {
  Trust out{.samples = signals_[0].tracks.size(), .pairs = pairs_};
  if (pairs_ == 0) return out;
  for (const auto& [name, about, tracks] : signals_) {
    out.signals.push_back(
        {name, about, metrics::rank_correlation_within(tracks), metrics::rank_correlation_pooled(tracks)});
  }
  out.reliability = metrics::reliability_within(signals_[0].tracks, lead_times, parts);
  return out;
}

}  // namespace cvf::evaluate
