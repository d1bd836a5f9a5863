#include "train/suggest.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/text.hpp"
#include "data/periodicity.hpp"

namespace cvf::train {
namespace {

// Of each parameter whether the samples rise or fall with it.
std::vector<bool> sorted_by(const data::Source& source) {
  struct Trend {
    bool up = true, down = true, varies = false;
  };
  const std::size_t samples = source.description().samples;
  std::vector<double> before = data::parameters_of(source, 0);
  std::vector<Trend> trends(before.size());
  for (std::size_t i = 1; i < samples; ++i) {
    interrupt::throw_if_requested("nothing was written");
    const auto here = data::parameters_of(source, i);
    for (std::size_t p = 0; p < here.size(); ++p) {
      trends[p].up = trends[p].up && here[p] >= before[p];
      trends[p].down = trends[p].down && here[p] <= before[p];
      trends[p].varies = trends[p].varies || here[p] != before[p];
    }
    before = here;
  }
  std::vector<bool> out;
  for (const auto& trend : trends) out.push_back(samples > 2 && trend.varies && (trend.up || trend.down));
  return out;
}

// Every tenth sample from the middle of its ten on, and at most 20: the lists stay short.
SuggestedSplit spread(std::size_t samples, const std::string& parameter) {
  const std::size_t each = std::clamp<std::size_t>(samples / 10, 1, 20), stride = samples / each;
  SuggestedSplit out{.lists = {},
                     .why = fmt::format("The samples are sorted by '{}', so those that validate and test are "
                                        "spread over the file.",
                                        parameter)};
  for (std::size_t i = 0; i < samples; ++i) {
    const bool within = i / stride < each;
    auto& list = within && i % stride == stride / 3       ? out.lists.validation
                 : within && i % stride == 2 * stride / 3 ? out.lists.test
                                                          : out.lists.train;
    list.push_back(i);
  }
  return out;
}

// RMS difference of frames `lag` apart beside the standard deviation of the states, mean over channels, in a
// few samples.
class Change {
 public:
  Change(const data::Source& source, const std::vector<std::size_t>& samples) : source_(source) {
    constexpr std::size_t most = 8;
    const std::size_t stride = std::max<std::size_t>(1, samples.size() / most);
    for (std::size_t i = 0; i < samples.size(); i += stride) looked_at_.push_back(samples[i]);
  }

  double at(std::size_t lag) const {
    const auto& d = source_.description();
    const std::size_t channels = d.state.count(Role::state);
    std::vector<double> sum(channels), squares(channels), moved(channels);
    std::vector<float> first(d.frame_size()), second(d.frame_size());
    double states = 0, pairs = 0;
    for (const auto sample : looked_at_) {
      const std::size_t frames = d.frames[sample];
      for (std::size_t k = 0; k + lag < frames; k += std::max<std::size_t>(1, frames / 8)) {
        interrupt::throw_if_requested("nothing was written");
        source_.read(sample, k, 1, first);
        source_.read(sample, k + lag, 1, second);
        data::require_finite(source_, sample, k, first);
        data::require_finite(source_, sample, k + lag, second);
        for (std::size_t i = 0; i < first.size(); ++i) {
          const double a = first[i], b = second[i];
          sum[i % channels] += a + b;
          squares[i % channels] += a * a + b * b;
          moved[i % channels] += (b - a) * (b - a);
        }
        states += 2 * static_cast<double>(first.size() / channels);
        pairs += static_cast<double>(first.size() / channels);
      }
    }
    double out = 0, counted = 0;
    for (std::size_t c = 0; c < channels; ++c) {
      const double variance = squares[c] / states - sum[c] / states * (sum[c] / states);
      if (!(variance > 0)) continue;  // a channel that never changes
      out += std::sqrt(moved[c] / pairs / variance);
      counted += 1;
    }
    return counted > 0 ? out / counted : 0;
  }

 private:
  const data::Source& source_;
  std::vector<std::size_t> looked_at_;
};

double mean_fraction(const std::vector<data::ChannelNoise>& noise) {
  double sum = 0, varying = 0;
  for (const auto& channel : noise) {
    sum += channel.fraction();
    varying += channel.spread > 0 ? 1 : 0;
  }
  return varying > 0 ? sum / varying : 0;
}

}  // namespace

SuggestedSplit suggest_split(const data::Source& source) {
  const auto& d = source.description();
  if (d.samples < 3) {
    SuggestedSplit out{.lists = {}, .why = "With fewer than three samples none is left to test on."};
    out.lists.train.resize(d.samples);
    std::iota(out.lists.train.begin(), out.lists.train.end(), std::size_t{0});
    return out;
  }
  const auto parameters = d.state.names(Role::parameter), indices = sample_indices(source);
  const auto sorted = d.samples >= 5 ? sorted_by(source) : std::vector<bool>{};
  for (std::size_t p = 0; p < sorted.size(); ++p) {
    if (sorted[p] && std::ranges::find(indices, parameters[p]) == indices.end())
      return spread(d.samples, parameters[p]);
  }
  const double tenth = std::max(0.1, 1.0 / static_cast<double>(d.samples));
  return {data::make_splits({"", "", "", tenth, tenth}, d.samples),
          "In file order: most samples train, a tenth chooses the best model, a tenth is for the test."};
}

SuggestedStrides suggest_strides(const data::Source& source, const std::vector<std::size_t>& training,
                                 const std::vector<data::ChannelNoise>& noise) {
  constexpr std::int64_t usual_stride = 8, most_stride = 32;
  // A step should change the state by ten times the noise of a difference of two frames; steps that change it
  // by 0.7 of its spread are long enough whatever the noise.
  constexpr double least_signal = 10, enough_change = 0.7;
  const auto& d = source.description();
  std::vector<std::size_t> lengths;
  for (const auto sample : training) lengths.push_back(d.frames[sample]);
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  const std::size_t frames = *middle;  // a sample that is shorter gives its short steps
  if (frames < 2) throw DataError("{}: has samples of one frame, so there is no step to learn", d.file);
  const auto longest = std::clamp(static_cast<std::int64_t>(frames - 1) / 4, std::int64_t{1}, most_stride);
  const Change change(source, training);
  const double noise_of_frame = mean_fraction(noise), noise_of_step = std::sqrt(2.0) * noise_of_frame;
  const double wanted = std::min(least_signal * noise_of_step, enough_change);
  const auto covered = [&](std::int64_t stride) {
    return std::hypot(wanted, noise_of_step) > change.at(static_cast<std::size_t>(stride));
  };
  std::int64_t shortest = 1;
  while (2 * shortest <= longest && covered(shortest)) shortest *= 2;
  SuggestedStrides out;
  const std::int64_t last = std::min(longest, std::max(usual_stride, 2 * shortest));
  for (std::int64_t stride = shortest; stride <= last; stride *= 2) out.strides.push_back(stride);

  const auto percent = [&](std::int64_t stride) { return 100 * change.at(static_cast<std::size_t>(stride)); };
  out.why = fmt::format("Neighbouring frames differ by {:.2g} % of the state's spread", percent(1));
  if (last > 1)
    out.why += fmt::format(", those {} apart by {:.2g} %", out.strides.back(), percent(out.strides.back()));
  out.why += ".";
  if (noise_of_frame > 0)
    out.why += fmt::format(" Noise of {:.2g} % of the spread was found in the values.", 100 * noise_of_frame);
  if (shortest > 1) out.why += fmt::format(" It hides what happens in fewer than {} frames.", shortest);
  out.why += " Every frame begins training steps of these lengths, in frames.";
  return out;
}

SuggestedBoundary suggest_boundary(const data::Source& source, const std::vector<std::size_t>& training) {
  StateSpec state = source.description().state;
  const auto unknown = [](const Axis& axis) { return axis.boundary == AxisBoundary{}; };
  if (std::ranges::none_of(state.axes, unknown)) {
    return {state.boundary(), false,
            fmt::format("They continue it beyond its sides as the file says: {}.", state.boundary())};
  }
  SuggestedBoundary out{"", false, "The file does not say what lies beyond the sides of its grid."};
  const auto found = data::periodicity(source, training);
  std::vector<std::string> axes, ratios;
  for (std::size_t a = 0; a < state.axes.size(); ++a) {
    if (!unknown(state.axes[a]) || !found[a].found()) continue;
    state.axes[a].boundary = {Boundary::periodic, Boundary::periodic};
    axes.push_back(state.axes[a].name);
    ratios.push_back(fmt::format("{:.2f}", found[a].across / found[a].beside));
  }
  out.text = state.boundary();
  out.from_values = !axes.empty();
  if (out.from_values) {
    out.why += fmt::format(
        " Along {} the values continue across its ends (differences across them over those next to them: "
        "{}): taken as periodic.",
        text::join(axes, " and "), text::join(ratios));
  }
  if (std::ranges::any_of(state.axes, unknown)) {
    out.why += fmt::format(
        " Where nothing is known the values at the edge are repeated; if you know better: field.boundary = "
        "\"periodic\", or \"y: wall, x: outflow\" (words: {}).",
        boundary_names());
  }
  return out;
}

}  // namespace cvf::train
