// Errors of states: step and rollout RMSE, relative L2.
#include "core/errors.hpp"

#include <cmath>

#include "metrics/kinds.hpp"

namespace cvf::metrics {
namespace {

using torch::Tensor;

Tensor square_sums(const Tensor& t) {
  return t.flatten(1).square().sum(1);
}

struct Mean {
  double sum = 0, count = 0;
  void add(double value, double weight = 1) { sum += value, count += weight; }
  double value() const { return sum / count; }
};

// Numbers: the sum of squared errors, the number of elements.
struct Rmse : Metric {
  Tensor measure(const Frame& frame) const override {
    const Tensor errors = square_sums(frame.prediction - frame.truth);
    const double elements = static_cast<double>(frame.truth.numel() / frame.truth.size(0));
    return torch::stack({errors, torch::full_like(errors, elements)}, 1);
  }
};

struct StepRmse : Rmse {
  Summary summarise(const Rows& rows) const override {
    Mean mean;
    for (const auto& [frame, samples] : rows) {
      for (const auto& [sample, numbers] : samples) mean.add(numbers[0], numbers[1]);
    }
    return mean.count > 0 ? Summary{std::sqrt(mean.value())} : Summary{};
  }
};

struct RolloutRmse : Rmse {
  Summary summarise(const Rows& rows) const override {
    Summary out;
    Mean frames;
    for (const auto& [frame, samples] : rows) {
      Mean mean;
      for (const auto& [sample, numbers] : samples) mean.add(numbers[0], numbers[1]);
      frames.add(mean.value());
      out.per_frame.emplace_back(frame, std::sqrt(mean.value()));
    }
    if (frames.count > 0) out.value = std::sqrt(frames.value());
    return out;
  }
};

// Numbers: the sums of squared errors and of squared truth.
struct RelativeL2 : Metric {
  Tensor measure(const Frame& frame) const override {
    return torch::stack({square_sums(frame.prediction - frame.truth), square_sums(frame.truth)}, 1);
  }

  Summary summarise(const Rows& rows) const override {
    std::map<std::int64_t, std::pair<double, double>> sums;
    for (const auto& [frame, samples] : rows) {
      for (const auto& [sample, numbers] : samples) {
        sums[sample].first += numbers[0];
        sums[sample].second += numbers[1];
      }
    }
    Mean mean;
    for (const auto& [sample, sum] : sums) {
      if (sum.second == 0) {
        throw DataError("sample {}: its truth is zero everywhere, so an error relative to it has no meaning",
                        sample);
      }
      mean.add(std::sqrt(sum.first / sum.second));
    }
    return mean.count > 0 ? Summary{mean.value()} : Summary{};
  }
};

}  // namespace

std::unique_ptr<Metric> make_step_rmse(const Setting&) {
  return std::make_unique<StepRmse>();
}
std::unique_ptr<Metric> make_rollout_rmse(const Setting&) {
  return std::make_unique<RolloutRmse>();
}
std::unique_ptr<Metric> make_relative_l2(const Setting&) {
  return std::make_unique<RelativeL2>();
}

}  // namespace cvf::metrics
