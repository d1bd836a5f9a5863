#include <algorithm>
#include <cmath>

#include "model/context_spec.hpp"

namespace cvf::model {
namespace {

// A polynomial may be off the control by so much of its deviation in training.
constexpr double bend_tolerance = 0.02;
constexpr double round_off = 1e-9;

double lagrange(std::size_t j, std::size_t nodes, double x) {
  double out = 1;
  for (std::size_t k = 0; k < nodes; ++k) {
    if (k == j) continue;
    const double at = static_cast<double>(k) / static_cast<double>(nodes - 1);
    out *= (x - at) / (static_cast<double>(j) / static_cast<double>(nodes - 1) - at);
  }
  return out;
}

// One kind of controls of a sample: [times, width], with the deviation of each value in training.
struct Series {
  const std::vector<double>& times;
  const std::vector<float>& values;
  std::vector<double> deviation;  // of each of `width`
  std::size_t nodes;

  std::size_t width() const { return deviation.size(); }

  // Whether a step from time a to time b, by number, sees what the controls do at the times between (and,
  // where it holds one value, at its end).
  bool seen(std::size_t a, std::size_t b) const {
    const double begin = times[a], length = times[b] - begin;
    std::vector<float> at(nodes * width());
    for (std::size_t j = 0; j < nodes; ++j) {
      const double share = nodes == 1 ? 0 : static_cast<double>(j) / static_cast<double>(nodes - 1);
      interpolate(times, values.data(), width(), begin + share * length, share < 1, at.data() + j * width());
    }
    for (std::size_t k = a + 1; k < (nodes == 1 ? b + 1 : b); ++k) {
      const double x = (times[k] - begin) / length;
      for (std::size_t i = 0; i < width(); ++i) {
        double polynomial = 0;
        for (std::size_t j = 0; j < nodes; ++j)
          polynomial += static_cast<double>(at[j * width() + i]) * lagrange(j, nodes, x);
        const double off = std::abs(static_cast<double>(values[k * width() + i]) - polynomial);
        if (off > bend_tolerance * deviation[i]) return false;
      }
    }
    return true;
  }
};

Series series_of(const Scaled& scale, const SampleContext& sample, const std::vector<float>& values,
                 int nodes) {
  const std::size_t count = scale.names.size(), frames = sample.times.size();
  Series out{sample.times, values, {}, static_cast<std::size_t>(nodes)};
  const std::size_t cells = count * frames > 0 ? values.size() / (count * frames) : 0;
  for (const double deviation : scale.deviation) out.deviation.insert(out.deviation.end(), cells, deviation);
  return out;
}

}  // namespace

// A window slides over the times of the controls. It is as long as a step can be, and ends before the first
// time with which a step over it would miss something.
std::vector<double> breaks(const ContextSpec& spec, const SampleContext& sample, const StepLengths& steps) {
  std::vector<double> out = jumps(sample);
  const Series numbers = series_of(spec.controls, sample, sample.controls, spec.nodes),
               fields = series_of(spec.control_fields, sample, sample.control_fields, spec.nodes);
  const auto& times = sample.times;
  const double shortest = steps.shortest * (1 - round_off), longest = steps.longest * (1 + round_off);
  for (std::size_t a = 0, b = 1; b < times.size(); ++b) {
    if (times[b] == times[b - 1]) {
      a = b;
      continue;
    }
    while (times[b] - times[a] > longest && a + 1 < b) ++a;
    if (numbers.seen(a, b) && fields.seen(a, b)) continue;
    const bool before = b - 1 > a && times[b - 1] - times[a] >= shortest;
    if (!before && times[b] - times[a] < shortest) continue;
    a = before ? b - 1 : b;
    out.push_back(times[a]);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace cvf::model
