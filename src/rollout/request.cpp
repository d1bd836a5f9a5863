#include "rollout/request.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "model/context_spec.hpp"

namespace cvf::rollout {

std::vector<double> Request::times_of(const data::Source& source, std::size_t sample) const {
  const auto own = source.times(sample);
  if (from_frame >= own.size()) {
    throw UsageError("--from {}: sample {} has {} frames", from_frame, sample, own.size());
  }
  std::vector<double> all{own[from_frame]};
  check_until(sample, all.front());
  if (times.empty()) {
    for (std::size_t k = from_frame + 1; k < own.size(); ++k) {
      if (std::isnan(until) || own[k] <= until) all.push_back(own[k]);
    }
    if (!std::isnan(until)) continue_to_the_end(all, own);
  }
  all.insert(all.end(), times.begin(), times.end());
  const auto& file = source.description().file;
  if (all.size() < 2) {
    throw DataError("{}: sample {} has no frame after frame {}; say how far to go with --until or --times",
                    file, sample, from_frame);
  }
  check_times(file, sample, all);
  const auto context = source.context(sample);
  if (context) model::check_covers(*context, sample, all.front(), all.back());
  return all;
}

double Request::frames_of(const data::Source& source, std::size_t sample) const {
  const auto own = source.times(sample);
  if (!times.empty() || from_frame >= own.size()) return 1 + static_cast<double>(times.size());
  check_until(sample, own[from_frame]);
  const auto after = static_cast<double>(own.size() - from_frame);
  if (std::isnan(until)) return after;
  return after + std::max(0.0, (until - own.back()) / spacing_after(own));
}

void Request::check_until(std::size_t sample, double start) const {
  if (std::isinf(until)) throw UsageError("--until {}: give the last time as a finite number", until);
  if (!std::isnan(until) && until <= start) {
    throw UsageError("--until {}: sample {} starts at {}", until, sample, start);
  }
}

double Request::spacing_after(const std::vector<double>& own) const {
  return own.size() > 1 ? own.back() - own[own.size() - 2] : until - own[from_frame];
}

void Request::continue_to_the_end(std::vector<double>& all, const std::vector<double>& own) const {
  const double spacing = spacing_after(own);
  const double last = std::max(all.back(), own.back());
  for (std::size_t k = 1; last + static_cast<double>(k) * spacing <= until + 1e-6 * spacing; ++k) {
    all.push_back(last + static_cast<double>(k) * spacing);
  }
  if (all.back() < until - 1e-6 * spacing) all.push_back(until);
}

StateArray Request::given(const data::Source& source, std::span<const std::size_t> samples) const {
  const auto& d = source.description();
  const std::size_t cells = d.state.cells(), channels = d.frame_size() / cells;
  StateArray out{{static_cast<std::int64_t>(samples.size())},
                 d.state.tensor_sizes(),
                 solvers::host_states<float>(samples.size(), d.frame_size())};
  std::vector<float> frame(d.frame_size());  // channels last
  float* to = out.rows->data<float>();
  for (const auto sample : samples) {
    source.read(sample, from_frame, 1, frame);
    data::require_finite(source, sample, from_frame, frame);
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t i = 0; i < cells; ++i) *to++ = frame[i * channels + c];
    }
  }
  return out;
}

}  // namespace cvf::rollout
