#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics/kinds.hpp"

namespace cvf::metrics {
namespace {

using torch::Tensor;

// Where the channel stands, or -1.
std::int64_t position(const Setting& setting, std::string_view channel) {
  const auto channels = setting.state.names();
  const auto found = std::find(channels.begin(), channels.end(), channel);
  return found == channels.end() ? -1 : found - channels.begin();
}

// A finite state may have no total at all (the logarithm of fewer than no prey): as far off as can be.
double drift(double difference, double scale) {
  if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
  return scale > 0 ? difference / scale : difference;
}

// Numbers: for each quantity the difference of the totals, then for each the sum of magnitudes in the truth.
class ConservedDrift : public Metric {
 public:
  explicit ConservedDrift(const Setting& setting) {
    for (const auto* row : conserved_in(setting)) {
      std::vector<std::int64_t> places;
      for (const auto channel : row->channels) places.push_back(position(setting, channel));
      totals_.push_back({std::string(row->quantity), torch::tensor(places), row->density(setting), {}});
      for (const auto& [sample, parameters] : setting.of_sample) {
        Setting own{setting.system, setting.state, setting.parameters};
        for (const auto& [name, value] : parameters) own.parameters[name] = value;
        totals_.back().of_sample[sample] = row->density(own);
      }
    }
  }

  Tensor measure(const Frame& frame) const override {
    if (totals_.empty()) return {};
    std::vector<Tensor> differences, scales;
    for (const auto& total : totals_) {
      const auto density = [&](const Tensor& states) { return total.of(states, frame.samples); };
      const Tensor truth = density(frame.truth);
      differences.push_back((density(frame.prediction) - truth).sum(1).abs());
      scales.push_back(truth.abs().sum(1));
    }
    differences.insert(differences.end(), scales.begin(), scales.end());
    return torch::stack(differences, 1);
  }

  Summary summarise(const Rows& rows) const override {
    Summary out;
    if (rows.empty()) return out;
    for (std::size_t i = 0; i < totals_.size(); ++i) {
      out.parts.emplace_back(totals_[i].name, mean_of_largest(rows, i));
      out.value = std::max(out.value.value_or(0), out.parts.back().second);
    }
    return out;
  }

 private:
  struct Total {
    std::string name;
    Tensor places;
    Density density;
    std::map<std::int64_t, Density> of_sample;  // with parameters of its own

    // [B,N]: of each cell
    Tensor of(const Tensor& states, const std::vector<std::int64_t>& samples) const {
      const Tensor chosen = states.index_select(1, places);
      std::vector<Tensor> rows;
      for (std::size_t i = 0; i < samples.size() && !of_sample.empty(); ++i) {
        const auto found = of_sample.find(samples[i]);
        rows.push_back((found == of_sample.end() ? density : found->second)(
            chosen.narrow(0, static_cast<std::int64_t>(i), 1)));
      }
      const Tensor each = rows.empty() ? density(chosen) : torch::cat(rows);
      return each.reshape({each.size(0), -1});
    }
  };

  double mean_of_largest(const Rows& rows, std::size_t i) const {
    std::map<std::int64_t, double> largest;
    for (const auto& [frame, samples] : rows) {
      for (const auto& [sample, numbers] : samples) {
        largest[sample] = std::max(largest[sample], drift(numbers[i], numbers[totals_.size() + i]));
      }
    }
    double sum = 0;
    for (const auto& [sample, worst] : largest) sum += worst;
    return sum / static_cast<double>(largest.size());
  }

  std::vector<Total> totals_;
};

}  // namespace

std::vector<const Conserved*> conserved_in(const Setting& setting) {
  std::vector<const Conserved*> out;
  for (const auto& row : conserved_quantities()) {
    const auto present = [&](std::string_view channel) { return position(setting, channel) >= 0; };
    if (row.system == setting.system && std::all_of(row.channels.begin(), row.channels.end(), present)) {
      out.push_back(&row);
    }
  }
  return out;
}

std::unique_ptr<Metric> make_conserved(const Setting& setting) {
  return std::make_unique<ConservedDrift>(setting);
}

}  // namespace cvf::metrics
