#include "metrics/lead_time_bins.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cvf::metrics {
namespace {

constexpr std::size_t most_values = 200, levels = 400;

}  // namespace

std::vector<double> thinned(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t kept = std::min(values.size(), most_values);
  std::vector<double> out;
  for (std::size_t j = 1; j <= kept; ++j) out.push_back(values[(values.size() * j + kept - 1) / kept - 1]);
  return out;
}

double share_within(const BinOfTrajectory& frames, double limit) {
  double sum = 0;
  for (const auto* frame : frames) {
    const auto inside = std::count_if(frame->begin(), frame->end(), [&](double v) { return v <= limit; });
    sum += static_cast<double>(inside) / static_cast<double>(frame->size());
  }
  return sum / static_cast<double>(frames.size());
}

void LeadTimeBins::add(const std::vector<BinOfTrajectory>& all) {
  std::vector<std::pair<double, double>> mixture;  // number, weight
  for (const auto& frames : all) {
    for (const auto* frame : frames) {
      const double weight = 1.0 / static_cast<double>(all.size() * frames.size() * frame->size());
      for (const double value : *frame) mixture.emplace_back(value, weight);
    }
  }
  std::sort(mixture.begin(), mixture.end());
  trajectories.push_back(static_cast<std::int64_t>(all.size()));
  double below = 0;
  auto next = mixture.begin();
  for (std::size_t j = 1; j <= levels; ++j) {
    const double wanted = static_cast<double>(j) / static_cast<double>(levels);
    double value = 0;
    if (!mixture.empty()) {
      while (next + 1 != mixture.end() && below + next->second < wanted - 1e-9) below += (next++)->second;
      value = next->first;
    }
    quantiles.push_back(value);
  }
}

double LeadTimeBins::factor(std::size_t octave, double coverage) const {
  const auto count = static_cast<double>(trajectories.at(octave));
  const double wanted = coverage * (count + 1) / count;
  if (count == 0 || wanted > 1 + 1e-12) return std::numeric_limits<double>::infinity();
  const auto level = static_cast<std::size_t>(std::ceil(wanted * static_cast<double>(levels) - 1e-9));
  return quantiles[octave * levels + std::clamp<std::size_t>(level, 1, levels) - 1];
}

void LeadTimeBins::describe(config::Section& s) {
  s.key("trajectories", &trajectories, "that have frames in each octave", config::at_least(0));
  s.key("quantiles", &quantiles, "of error / score in each octave, 400 levels of each", config::at_least(0));
}

bool LeadTimeBins::sound() const {
  if (trajectories.empty() && quantiles.empty()) return true;
  if (trajectories.size() != octaves || quantiles.size() != octaves * levels) return false;
  for (std::size_t i = 0; i < octaves; ++i) {
    const auto first = quantiles.begin() + static_cast<std::ptrdiff_t>(i * levels);
    if (!std::is_sorted(first, first + static_cast<std::ptrdiff_t>(levels))) return false;
  }
  return true;
}

}  // namespace cvf::metrics
