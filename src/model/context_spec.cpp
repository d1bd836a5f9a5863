#include "model/context_spec.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/errors.hpp"

namespace cvf::model {
namespace {

// Mean and deviation of each of `count` series that lie in blocks of `cells` behind each other.
struct Moments {
  std::vector<double> sum, square, lowest, highest;
  double values = 0;

  explicit Moments(std::size_t count)
      : sum(count, 0),
        square(count, 0),
        lowest(count, std::numeric_limits<double>::infinity()),
        highest(count, -std::numeric_limits<double>::infinity()) {}

  template <class T>
  void add(const std::vector<T>& all) {
    if (sum.empty() || all.empty()) return;
    // [T, count, cells]: cells follow from the size of a frame, which callers pass frame by frame.
    const std::size_t cells = all.size() / sum.size();
    for (std::size_t i = 0; i < sum.size(); ++i) {
      for (std::size_t c = 0; c < cells; ++c) {
        const double value = all[i * cells + c];
        sum[i] += value;
        square[i] += value * value;
        lowest[i] = std::min(lowest[i], value);
        highest[i] = std::max(highest[i], value);
      }
    }
    values += static_cast<double>(cells);
  }

  Scaled scaled(const std::vector<std::string>& names) const {
    Scaled out{names, {}, {}, lowest, highest};
    for (std::size_t i = 0; i < sum.size(); ++i) {
      const double mean = sum[i] / values, variance = square[i] / values - mean * mean;
      const double deviation = std::sqrt(std::max(variance, 0.0));
      out.mean.push_back(mean);
      out.deviation.push_back(deviation > 1e-6 * std::abs(mean) ? deviation : 1);  // one value only: as it is
    }
    return out;
  }
};

void add_frames(Moments& moments, const std::vector<float>& series, std::size_t frames) {
  if (frames == 0 || series.empty()) return;
  const std::size_t size = series.size() / frames;
  for (std::size_t f = 0; f < frames; ++f) {
    const auto first = series.begin() + static_cast<std::ptrdiff_t>(f * size);
    moments.add(std::vector<float>(first, first + static_cast<std::ptrdiff_t>(size)));
  }
}

void check_sizes(const char* name, const Scaled& s) {
  if (s.mean.size() != s.names.size() || s.deviation.size() != s.names.size()) {
    throw ModelError("context.{}: {} names have {} means and {} deviations", name, s.names.size(),
                     s.mean.size(), s.deviation.size());
  }
  const bool ranges =
      s.lowest.size() == s.highest.size() && (s.lowest.empty() || s.lowest.size() == s.names.size());
  if (!ranges) {
    throw ModelError("context.{}: {} names have {} lowest and {} highest values", name, s.names.size(),
                     s.lowest.size(), s.highest.size());
  }
  for (const double d : s.deviation) {
    if (!(d > 0) || !std::isfinite(d)) throw ModelError("context.{}: a deviation of {}", name, d);
  }
}

}  // namespace

template <class T>
void interpolate(const std::vector<double>& times, const float* series, std::size_t width, double t,
                 bool later, T* out) {
  const auto after = later ? std::upper_bound(times.begin(), times.end(), t)
                           : std::lower_bound(times.begin(), times.end(), t);
  const auto right = static_cast<std::size_t>(after - times.begin());
  if (right == 0 || right == times.size()) {
    std::copy_n(series + (right == 0 ? 0 : times.size() - 1) * width, width, out);
    return;
  }
  const double span = times[right] - times[right - 1];
  const auto share = static_cast<T>(span > 0 ? (t - times[right - 1]) / span : 0);
  const float *a = series + (right - 1) * width, *b = series + right * width;
  for (std::size_t i = 0; i < width; ++i) {
    const T from = a[i], to = b[i];
    out[i] = from + share * (to - from);
  }
}

template void interpolate<float>(const std::vector<double>&, const float*, std::size_t, double, bool, float*);
template void interpolate<double>(const std::vector<double>&, const float*, std::size_t, double, bool,
                                  double*);

void Scaled::describe(config::Section& s) {
  s.key("names", &names, "by name, in order");
  s.key("mean", &mean, "of the training samples");
  s.key("deviation", &deviation, "of the training samples");
  s.key("lowest", &lowest, "value in the training samples");
  s.key("highest", &highest, "value in the training samples");
}

ContextNames ContextSpec::names() const {
  return {parameters.names, statics.names, controls.names, control_fields.names};
}

void ContextSpec::describe(config::Section& s) {
  const auto part = [&s](const char* name, const char* help, Scaled& scaled) {
    s.table(name, help, [&scaled](config::Section& t) { scaled.describe(t); });
  };
  s.key("nodes", &nodes, "points of a step at which the controls are seen", config::between(1, 3));
  part("parameters", "numbers of a sample", parameters);
  part("static", "fields that do not change with time", statics);
  part("controls", "series, one number for the whole state", controls);
  part("control_fields", "series, a number for each cell", control_fields);
}

void ContextSpec::check() const {
  check_sizes("parameters", parameters);
  check_sizes("static", statics);
  check_sizes("controls", controls);
  check_sizes("control_fields", control_fields);
}

void ContextSpec::add_to(fields::StateShape& shape) const {
  const auto count = [](const Scaled& s) { return static_cast<std::int64_t>(s.names.size()); };
  shape.parameters = count(parameters);
  shape.statics = count(statics);
  shape.controls = count(controls);
  shape.control_fields = count(control_fields);
  shape.nodes = nodes;
}

void ContextSpec::fit(const ContextNames& n, std::span<const SampleContextPointer> samples) {
  Moments of_parameters(n.parameters.size()), of_statics(n.statics.size()), of_controls(n.controls.size()),
      of_fields(n.control_fields.size());
  for (const auto& sample : samples) {
    of_parameters.add(sample->parameters);
    of_statics.add(sample->statics);
    add_frames(of_controls, sample->controls, sample->times.size());
    add_frames(of_fields, sample->control_fields, sample->times.size());
  }
  parameters = of_parameters.scaled(n.parameters);
  statics = of_statics.scaled(n.statics);
  controls = of_controls.scaled(n.controls);
  control_fields = of_fields.scaled(n.control_fields);
}

std::string ContextSpec::extrapolation(const SampleContext& sample) const {
  std::string out;
  for (std::size_t i = 0; i < parameters.lowest.size() && i < sample.parameters.size(); ++i) {
    const double low = parameters.lowest[i], high = parameters.highest[i], value = sample.parameters[i];
    const double slack = 1e-9 * std::max(std::abs(low), std::abs(high));
    if (value >= low - slack && value <= high + slack) continue;
    out += fmt::format("{}{} = {:g} (training: {:g} to {:g})", out.empty() ? "" : ", ", parameters.names[i],
                       value, low, high);
  }
  return out;
}

template <class T>
void controls_over(const Scaled& scale, const SampleContext& sample,
                   const std::vector<float> SampleContext::*series, int node_count, double begin, double dt,
                   std::size_t cells, T* to) {
  const auto count = scale.names.size(), nodes = static_cast<std::size_t>(node_count), width = count * cells;
  for (std::size_t j = 0; j < nodes; ++j, to += width) {
    const double share = nodes == 1 ? 0 : static_cast<double>(j) / static_cast<double>(nodes - 1);
    // A step that begins at a jump sees what comes after it, one that ends there what came before.
    const bool later = (share < 1) == (dt >= 0) || dt == 0;
    interpolate(sample.times, (sample.*series).data(), width, begin + share * dt, later, to);
    for (std::size_t c = 0; c < count; ++c) {
      for (std::size_t i = 0; i < cells; ++i) {
        T& value = to[c * cells + i];
        value = static_cast<T>((static_cast<double>(value) - scale.mean[c]) / scale.deviation[c]);
      }
    }
  }
}

template void controls_over<float>(const Scaled&, const SampleContext&,
                                   const std::vector<float> SampleContext::*, int, double, double,
                                   std::size_t, float*);
template void controls_over<double>(const Scaled&, const SampleContext&,
                                    const std::vector<float> SampleContext::*, int, double, double,
                                    std::size_t, double*);

void check_context(const ContextSpec& spec, const SampleContext* s, std::size_t sample, std::size_t cells) {
  const auto frames = s != nullptr ? s->times.size() : 0;
  const bool fits = s != nullptr && s->parameters.size() == spec.parameters.names.size() &&
                    s->statics.size() == spec.statics.names.size() * cells &&
                    s->controls.size() == frames * spec.controls.names.size() &&
                    s->control_fields.size() == frames * spec.control_fields.names.size() * cells;
  if (!fits) throw DataError("sample {}: has not the context that the model takes", sample);
}

std::vector<double> jumps(const SampleContext& context) {
  std::vector<double> out;
  const auto& times = context.times;
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] == times[i - 1]) out.push_back(times[i]);
  }
  return out;
}

void check_covers(const SampleContext& context, std::size_t sample, double from, double to) {
  const auto& times = context.times;
  if (times.size() <= 1) return;  // no controls, or the same for ever
  const double tolerance = 1e-9 * std::max(std::abs(times.front()), std::abs(times.back()));
  if (from >= times.front() - tolerance && to <= times.back() + tolerance) return;
  throw DataError(
      "sample {}: its controls are known from {:g} to {:g}, but the forecast goes from {:g} to {:g}; give "
      "them as long as it goes",
      sample, times.front(), times.back(), from, to);
}

}  // namespace cvf::model
