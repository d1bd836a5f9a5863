// Errors of states: step and rollout RMSE, relative L2.
#include "core/errors.hpp"

#include <cmath>

#include "core/scores.hpp"
#include "metrics/kinds.hpp"

namespace cvf::metrics {
namespace {

using torch::Tensor;

Tensor square_sums(const Tensor& t) {
  return t.flatten(1).square().sum(1);
}

Tensor square_sums_of_channels(const Tensor& t) {
  return t.reshape({t.size(0), t.size(1), -1}).square().sum(2);
}

struct Mean {
  double sum = 0, count = 0;
  void add(double value, double weight = 1) { sum += value, count += weight; }
  double value() const { return sum / count; }
};

// Numbers: the sum of squared errors, the number of elements, then the sum of each channel. Channels have
// equally many elements.
struct Rmse : Metric {
  explicit Rmse(const Setting& setting) : channels(setting.state.names()) {}

  Tensor measure(const Frame& frame) const override {
    const Tensor difference = frame.prediction - frame.truth, errors = square_sums(difference);
    const double elements = static_cast<double>(frame.truth.numel() / frame.truth.size(0));
    const Tensor whole = torch::stack({errors, torch::full_like(errors, elements)}, 1);
    return torch::cat({whole, square_sums_of_channels(difference)}, 1);
  }

  std::vector<std::string> channels;
};

// Means of squares over samples: of all elements, and of each channel's.
struct Squares {
  Mean all;
  std::vector<Mean> channels;

  void add(const Numbers& numbers) {
    all.add(numbers[0], numbers[1]);
    channels.resize(numbers.size() - 2);
    const double share = numbers[1] / static_cast<double>(channels.size());
    for (std::size_t c = 0; c < channels.size(); ++c) channels[c].add(numbers[c + 2], share);
  }
};

// The root of each channel's mean, under its name.
void name_channels(Summary& out, const std::vector<Mean>& squares, const std::vector<std::string>& names) {
  if (squares.size() != names.size()) return;
  for (std::size_t c = 0; c < names.size(); ++c)
    out.parts.emplace_back(names[c], std::sqrt(squares[c].value()));
}

struct StepRmse : Rmse {
  using Rmse::Rmse;

  Summary summarise(const Rows& rows) const override {
    Squares squares;
    for (const auto& [frame, samples] : rows) {
      for (const auto& [sample, numbers] : samples) squares.add(numbers);
    }
    if (!(squares.all.count > 0)) return {};
    Summary out{std::sqrt(squares.all.value())};
    name_channels(out, squares.channels, channels);
    return out;
  }
};

struct RolloutRmse : Rmse {
  using Rmse::Rmse;

  Summary summarise(const Rows& rows) const override {
    Summary out;
    std::vector<double> frames;
    std::vector<Mean> frames_of_channels;
    for (const auto& [frame, samples] : rows) {
      Squares squares;
      for (const auto& [sample, numbers] : samples) squares.add(numbers);
      frames.push_back(squares.all.value());
      frames_of_channels.resize(squares.channels.size());
      for (std::size_t c = 0; c < squares.channels.size(); ++c)
        frames_of_channels[c].add(squares.channels[c].value());
      out.per_frame.emplace_back(frame, std::sqrt(squares.all.value()));
    }
    if (frames.empty()) return out;
    out.value = l_tau(frames);
    name_channels(out, frames_of_channels, channels);
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

std::unique_ptr<Metric> make_step_rmse(const Setting& setting) {
  return std::make_unique<StepRmse>(setting);
}
std::unique_ptr<Metric> make_rollout_rmse(const Setting& setting) {
  return std::make_unique<RolloutRmse>(setting);
}
std::unique_ptr<Metric> make_relative_l2(const Setting&) {
  return std::make_unique<RelativeL2>();
}

}  // namespace cvf::metrics
