// What a prediction costs: evaluations of the network and seconds.
#include "metrics/kinds.hpp"

namespace cvf::metrics {
namespace {

// Numbers: one, to be averaged over frames and samples.
struct MeanOfAll : Metric {
  Summary summarise(const Rows& rows) const override {
    double sum = 0, count = 0;
    for (const auto& [frame, samples] : rows) {
      for (const auto& [sample, numbers] : samples) sum += numbers[0], ++count;
    }
    return count > 0 ? Summary{sum / count} : Summary{};
  }
};

struct Evaluations : MeanOfAll {
  torch::Tensor measure(const Frame& frame) const override {
    if (frame.evaluations.empty()) return {};
    return torch::tensor(frame.evaluations, torch::kDouble).unsqueeze(1);
  }
};

struct Seconds : MeanOfAll {
  torch::Tensor measure(const Frame& frame) const override {
    if (frame.seconds < 0) return {};
    const auto samples = static_cast<std::int64_t>(frame.samples.size());
    return torch::full({samples, 1}, frame.seconds / static_cast<double>(samples), torch::kDouble);
  }
};

}  // namespace

std::unique_ptr<Metric> make_evaluations(const Setting&) {
  return std::make_unique<Evaluations>();
}
std::unique_ptr<Metric> make_seconds(const Setting&) {
  return std::make_unique<Seconds>();
}

}  // namespace cvf::metrics
