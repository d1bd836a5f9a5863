// How long a prediction stays in step with the truth.
#include "metrics/kinds.hpp"

namespace cvf::metrics {
namespace {

using torch::Tensor;

// Pearson's correlation over space, [B,C]. A field without variance goes with another such, and with nothing
// else.
Tensor correlations(const Tensor& a, const Tensor& b) {  // [B,C,space]
  const Tensor x = a - a.mean(2, true), y = b - b.mean(2, true);
  const Tensor xx = x.square().sum(2), yy = y.square().sum(2);
  const Tensor scale = (xx * yy).sqrt();
  const Tensor both_flat = torch::logical_and(xx == 0, yy == 0).to(torch::kDouble);
  return torch::where(scale > 0, (x * y).sum(2) / scale.clamp_min(1e-300), both_flat);
}

// Numbers: the correlation, the time.
struct CorrelationTime : Metric {
  Tensor measure(const Frame& frame) const override {
    if (frame.truth.dim() < 3) return {};  // a vector state has no space to correlate over
    const Tensor mean = correlations(frame.prediction.flatten(2), frame.truth.flatten(2)).mean(1);
    const Tensor times = frame.times.empty() ? torch::full_like(mean, static_cast<double>(frame.index))
                                             : torch::tensor(frame.times, torch::kDouble);
    return torch::stack({mean, times}, 1);
  }

  Summary summarise(const Rows& rows) const override {
    std::map<std::int64_t, std::pair<double, bool>> ends;  // sample -> time, fallen
    for (const auto& [frame, samples] : rows) {
      for (const auto& [sample, numbers] : samples) {
        auto& [time, fallen] = ends[sample];
        if (fallen) continue;
        time = numbers[1];
        fallen = numbers[0] < decorrelated_below;
      }
    }
    Summary out;
    double sum = 0;
    for (const auto& [sample, end] : ends) {
      sum += end.first;
      out.lower_bound = out.lower_bound || !end.second;
    }
    if (!ends.empty()) out.value = sum / static_cast<double>(ends.size());
    return out;
  }
};

}  // namespace

std::unique_ptr<Metric> make_correlation_time(const Setting&) {
  return std::make_unique<CorrelationTime>();
}

}  // namespace cvf::metrics
