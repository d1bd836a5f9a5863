// Errors of states: step and rollout RMSE, the latter in units of each channel's spread too, relative L2.
#include "core/errors.hpp"

#include <cmath>

#include "core/scores.hpp"
#include "metrics/kinds.hpp"
#include "metrics/spread.hpp"

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

// Numbers: the values of a channel, then for each channel the sum of squared errors, the mean of the truth
// and its squared differences from that mean, summed.
struct NormalizedRmse : Metric {
  explicit NormalizedRmse(const Setting& setting) : channels(setting.state.names()) {}

  Tensor measure(const Frame& frame) const override {
    const auto& truth = frame.truth;
    const Tensor values = truth.reshape({truth.size(0), truth.size(1), -1}), mean = values.mean(2);
    const Tensor count = torch::full({truth.size(0), 1}, static_cast<double>(values.size(2)), torch::kDouble);
    return torch::cat({count, square_sums_of_channels(frame.prediction - truth), mean,
                       (values - mean.unsqueeze(2)).square().sum(2)},
                      1);
  }

  Summary summarise(const Rows& rows) const override {
    const auto spreads = spreads_of(rows);
    Summary out;
    std::vector<double> frames;
    std::vector<Mean> frames_of_channels(spreads.size());
    for (const auto& [frame, samples] : rows) {
      Mean all;
      for (std::size_t c = 0; c < spreads.size(); ++c) {
        Mean squares;
        for (const auto& [sample, numbers] : samples) squares.add(numbers[1 + c], numbers[0]);
        const double unit = spreads[c].unit();
        frames_of_channels[c].add(squares.value() / (unit * unit));
        all.add(squares.value() / (unit * unit));
      }
      frames.push_back(all.value());
      out.per_frame.emplace_back(frame, std::sqrt(all.value()));
    }
    if (frames.empty()) return out;
    out.value = l_tau(frames);
    name_channels(out, frames_of_channels, channels);
    return out;
  }

  static std::vector<Spread> spreads_of(const Rows& rows) {
    std::vector<Spread> out;
    for (const auto& [frame, samples] : rows) {
      for (const auto& [sample, numbers] : samples) {
        const std::size_t channels = numbers.size() / 3;
        out.resize(channels);
        for (std::size_t c = 0; c < channels; ++c)
          out[c].merge({numbers[0], numbers[1 + channels + c], numbers[1 + 2 * channels + c]});
      }
    }
    return out;
  }

  std::vector<std::string> channels;
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
std::unique_ptr<Metric> make_normalized_rmse(const Setting& setting) {
  return std::make_unique<NormalizedRmse>(setting);
}
std::unique_ptr<Metric> make_relative_l2(const Setting&) {
  return std::make_unique<RelativeL2>();
}

}  // namespace cvf::metrics
