#include "metrics/trust.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/errors.hpp"

namespace cvf::metrics {
namespace {

void check_pairs(std::span<const double> scores, std::span<const double> errors) {
  if (scores.size() != errors.size() || scores.empty()) {
    throw DataError("{} scores and {} errors: give one error for each score, and at least one", scores.size(),
                    errors.size());
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isfinite(scores[i]) && std::isfinite(errors[i])) continue;
    throw DataError("pair {} (score {}, error {}) is not finite: report it as diverged instead", i, scores[i],
                    errors[i]);
  }
}

std::vector<std::size_t> order_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
  return order;
}

std::vector<double> ranks(std::span<const double> values) {
  const auto order = order_of(values);
  std::vector<double> out(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double shared = 0.5 * static_cast<double>(begin + end - 1);
    for (std::size_t i = begin; i < end; ++i) out[order[i]] = shared;
  }
  return out;
}

}  // namespace

double rank_correlation(std::span<const double> scores, std::span<const double> errors) {
  check_pairs(scores, errors);
  const auto x = ranks(scores), y = ranks(errors);
  const double middle = 0.5 * static_cast<double>(x.size() - 1);  // the mean of the ranks, ties or not
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - middle) * (y[i] - middle);
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

void ReliabilityBin::take(const ReliabilityBin& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  const double share = static_cast<double>(other.count) / static_cast<double>(count + other.count);
  count += other.count;
  lowest_score = std::min(lowest_score, other.lowest_score);
  highest_score = std::max(highest_score, other.highest_score);
  mean_score += share * (other.mean_score - mean_score);
  mean_error += share * (other.mean_error - mean_error);
  largest_error = std::max(largest_error, other.largest_error);
}

std::vector<ReliabilityBin> reliability(std::span<const double> scores, std::span<const double> errors,
                                        int bins) {
  check_pairs(scores, errors);
  if (bins < 1) throw UsageError("a reliability table needs at least one bin, not {}", bins);
  const auto order = order_of(scores);
  const std::size_t parts = std::min(static_cast<std::size_t>(bins), order.size());
  std::vector<ReliabilityBin> out(parts);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = part * order.size() / parts, end = (part + 1) * order.size() / parts;
    auto& bin = out[part];
    bin.count = end - begin;
    bin.lowest_score = scores[order[begin]];
    bin.highest_score = scores[order[end - 1]];
    for (std::size_t i = begin; i < end; ++i) {
      bin.mean_score += scores[order[i]] / static_cast<double>(bin.count);
      bin.mean_error += errors[order[i]] / static_cast<double>(bin.count);
      bin.largest_error = std::max(bin.largest_error, errors[order[i]]);
    }
  }
  return out;
}

std::string reliability_table(std::span<const ReliabilityBin> bins) {
  std::string out = fmt::format("{:>8} {:>11} {:>11} {:>11} {:>11} {:>11}\n", "pairs", "score from", "to",
                                "mean score", "mean error", "largest");
  for (const auto& bin : bins) {
    out +=
        fmt::format("{:>8} {:>11.4g} {:>11.4g} {:>11.4g} {:>11.4g} {:>11.4g}\n", bin.count, bin.lowest_score,
                    bin.highest_score, bin.mean_score, bin.mean_error, bin.largest_error);
  }
  return out;
}

std::size_t conformal_rank(std::size_t count, double coverage) {
  if (!(coverage > 0 && coverage < 1))
    throw UsageError("coverage {}: give a number between 0 and 1", coverage);
  const double rank = std::ceil(static_cast<double>(count + 1) * coverage - 1e-9);  // 0.9 * 10 is 9, not 10
  return static_cast<std::size_t>(std::max(rank, 1.0));
}

std::size_t needed_for(double coverage) {
  auto count = static_cast<std::size_t>(std::max(1.0, std::floor(coverage / (1 - coverage))));
  if (count > 1) --count;  // the division may round up
  while (conformal_rank(count, coverage) > count) ++count;
  return count;
}

double worst_ratio(std::span<const double> scores, std::span<const double> errors) {
  double worst = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isinf(scores[i])) continue;
    if (!(scores[i] > 0))
      throw DataError("frame {}: the score {} is not positive, so it bounds nothing", i, scores[i]);
    worst = std::max(worst,
                     std::isnan(errors[i]) ? std::numeric_limits<double>::infinity() : errors[i] / scores[i]);
  }
  return worst;
}

ConformalBound conformal_bound(std::span<const double> scores, std::span<const double> errors,
                               double coverage) {
  check_pairs(scores, errors);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!(scores[i] > 0))
      throw DataError("pair {}: the score {} is not positive, so it bounds nothing", i, scores[i]);
    ratios.push_back(errors[i] / scores[i]);
  }
  ConformalBound out{coverage, std::numeric_limits<double>::infinity(), ratios.size()};
  const std::size_t rank = conformal_rank(ratios.size(), coverage);
  if (rank > ratios.size()) return out;
  const auto place = ratios.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
  std::nth_element(ratios.begin(), place, ratios.end());
  out.factor = *place;
  return out;
}

}  // namespace cvf::metrics
