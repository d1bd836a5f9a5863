#include "metrics/within_frames.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/errors.hpp"
#include "core/random.hpp"

namespace cvf::metrics {
namespace {

using Order = std::vector<std::size_t>;

struct FrameOfSamples {
  std::vector<std::size_t> samples;
  std::vector<double> score, error;
  Order by_score, by_error;
};

Order sorted(const std::vector<double>& values) {
  Order out(values.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  std::stable_sort(out.begin(), out.end(), [&](auto a, auto b) { return values[a] < values[b]; });
  return out;
}

std::vector<FrameOfSamples> frames_of(std::span<const Track> tracks) {
  std::vector<FrameOfSamples> out;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const auto& [score, error] = tracks[i];
    if (score.size() != error.size())
      throw DataError("forecast {} has {} scores and {} errors", i, score.size(), error.size());
    out.resize(std::max(out.size(), score.size()));
    for (std::size_t k = 0; k < score.size(); ++k) {
      if (!std::isfinite(score[k]) || !std::isfinite(error[k]))
        throw DataError("forecast {}, frame {} (score {}, error {}) is not finite", i, k, score[k], error[k]);
      out[k].samples.push_back(i);
      out[k].score.push_back(score[k]);
      out[k].error.push_back(error[k]);
    }
  }
  for (auto& frame : out) {
    frame.by_score = sorted(frame.score);
    frame.by_error = sorted(frame.error);
  }
  return out;
}

// The rank of each value among all, each there `weight` times; equal values share the mean of their ranks.
std::vector<double> weighted_ranks(const std::vector<double>& values, const Order& order,
                                   const std::vector<double>& weight) {
  std::vector<double> out(values.size());
  double before = 0;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    double here = 0;
    for (; end < order.size() && values[order[end]] == values[order[begin]]; ++end)
      here += weight[order[end]];
    for (std::size_t i = begin; i < end; ++i) out[order[i]] = before + 0.5 * (here - 1);
    before += here;
  }
  return out;
}

// `count`: how often each sample is there. Nothing when too few are.
struct Correlation {
  bool counts = false;
  double value = 0;
};
Correlation correlation(const FrameOfSamples& frame, const std::vector<double>& count) {
  std::vector<double> weight;
  double total = 0;
  for (const auto sample : frame.samples) total += weight.emplace_back(count[sample]);
  if (total < least_samples) return {};
  const auto x = weighted_ranks(frame.score, frame.by_score, weight),
             y = weighted_ranks(frame.error, frame.by_error, weight);
  const double middle = 0.5 * (total - 1);
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    xy += weight[i] * (x[i] - middle) * (y[i] - middle);
    xx += weight[i] * (x[i] - middle) * (x[i] - middle);
    yy += weight[i] * (y[i] - middle) * (y[i] - middle);
  }
  return {true, xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0};
}

WithinFrames mean_over(const std::vector<FrameOfSamples>& frames, const std::vector<double>& count) {
  WithinFrames out;
  for (const auto& frame : frames) {
    const auto one = correlation(frame, count);
    if (!one.counts) continue;
    out.mean += one.value;
    ++out.frames;
  }
  if (out.measured()) out.mean /= static_cast<double>(out.frames);
  return out;
}

}  // namespace

WithinFrames rank_correlation_within(std::span<const Track> tracks, int rounds) {
  const auto frames = frames_of(tracks);
  auto out = mean_over(frames, std::vector<double>(tracks.size(), 1));
  std::vector<double> drawn;
  for (int round = 0; out.measured() && round < rounds; ++round) {
    RandomStream random(0, "bootstrap", static_cast<std::uint64_t>(round));
    std::vector<double> count(tracks.size(), 0);
    for (std::size_t i = 0; i < tracks.size(); ++i) count[random.below(tracks.size())] += 1;
    const auto again = mean_over(frames, count);
    if (again.measured()) drawn.push_back(again.mean);
  }
  if (drawn.empty()) return out;
  std::sort(drawn.begin(), drawn.end());
  const auto at = [&](double part) {
    return drawn[static_cast<std::size_t>(std::lround(part * static_cast<double>(drawn.size() - 1)))];
  };
  out.low = at(0.025);
  out.high = at(0.975);
  return out;
}

double rank_correlation_pooled(std::span<const Track> tracks) {
  std::vector<double> scores, errors;
  for (const auto& track : tracks) {
    scores.insert(scores.end(), track.score.begin(), track.score.end());
    errors.insert(errors.end(), track.error.begin(), track.error.end());
  }
  return rank_correlation(scores, errors);
}

std::vector<LeadTimeBin> reliability_within(std::span<const Track> tracks, int lead_times, int parts) {
  if (lead_times < 1 || parts < 1)
    throw UsageError("a reliability table needs at least one bin of lead times and one part, not {} and {}",
                     lead_times, parts);
  auto frames = frames_of(tracks);
  while (!frames.empty() && frames.back().samples.size() < least_samples) frames.pop_back();
  const std::size_t bins = std::min(static_cast<std::size_t>(lead_times), frames.size());
  std::vector<LeadTimeBin> out;
  for (std::size_t b = 0; b < bins; ++b) {
    LeadTimeBin bin{b * frames.size() / bins, (b + 1) * frames.size() / bins - 1, {}};
    for (std::size_t k = bin.first; k <= bin.last; ++k) {
      const auto here = reliability(frames[k].score, frames[k].error, parts);
      bin.parts.resize(std::max(bin.parts.size(), here.size()));
      for (std::size_t p = 0; p < here.size(); ++p) bin.parts[p].take(here[p]);
    }
    out.push_back(std::move(bin));
  }
  return out;
}

}  // namespace cvf::metrics
