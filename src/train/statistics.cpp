#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "train/learner.hpp"

namespace cvf::train {
namespace {

using normalizers::Moments;
using normalizers::Normalizer;

constexpr std::size_t most_values = 1 << 26, most_batches = 256;

// The same on every rank: the mean of the ranks' means and of their second moments.
Moments of_all_ranks(const Moments& own, ProcessGroup& group) {
  if (group.size() == 1) return own;
  Moments out = own;
  out.mean = own.mean.clone();
  out.variance = own.variance + own.mean.square();
  group.average(std::vector<torch::Tensor>{out.mean, out.variance});
  out.variance = (out.variance - out.mean.square()).clamp_min(0);
  return out;
}

Normalizer::Measured of_all_ranks(const Normalizer::Measured& own, ProcessGroup& group) {
  return {of_all_ranks(own.state, group), of_all_ranks(own.velocity, group)};
}

}  // namespace

// Two passes over the same batches: what velocities are measured in may depend on the states' statistics. On
// a signal a rank breaks off, and all end at the next agreement.
void fit_statistics(Normalizer& normalizer, Feed& feed, ProcessGroup& group) {
  const data::Cursor start{};
  const auto agree = [&group](bool interrupted) {
    if (group.any(interrupted))
      throw Interrupted("interrupted before the first step; there was nothing to save");
  };
  const auto most = std::min(most_batches, feed.loader().batches_per_epoch());
  std::vector<Moments> states;
  const LocalBatch* local = nullptr;
  bool going = true;
  for (std::size_t values = 0; states.size() < most && values <= most_values;
       values += static_cast<std::size_t>(local->frames[0].value.numel())) {
    local = feed.next(interrupt::requested);
    going = local != nullptr && !interrupt::requested();
    if (!going) break;
    states.push_back(Moments::of(local->frames[0].value));
  }
  agree(!going);
  normalizer.fit(of_all_ranks(Moments::merged(states), group));
  feed.loader().seek(start);
  std::vector<Moments> velocities;
  while (going && velocities.size() < states.size()) {
    local = feed.next(interrupt::requested);
    going = local != nullptr && !interrupt::requested();
    if (going) velocities.push_back(normalizer.measure(local->frames[0], local->secant()).velocity);
  }
  agree(!going);
  normalizer.fit({normalizer.state_moments(), of_all_ranks(Moments::merged(velocities), group)});
  feed.loader().seek(start);
}

void follow_statistics(Normalizer& normalizer, const LocalBatch& local, ProcessGroup& group) {
  normalizer.follow(of_all_ranks(normalizer.measure(local.frames[0], local.secant()), group));
}

namespace {

// The largest of the ranks' values, one by one: every rank has a row of a matrix that is added up.
std::vector<double> largest_of_ranks(std::vector<double> own, ProcessGroup& group) {
  if (group.size() == 1) return own;
  const auto ranks = static_cast<std::size_t>(group.size()), rank = static_cast<std::size_t>(group.rank());
  std::vector<double> all(ranks * own.size());
  std::copy(own.begin(), own.end(), all.begin() + static_cast<std::ptrdiff_t>(rank * own.size()));
  all = group.sum(std::move(all));
  for (std::size_t i = 0; i < all.size(); ++i) own[i % own.size()] = std::max(own[i % own.size()], all[i]);
  return own;
}

}  // namespace

void follow_range(model::StateFacts& state, const LocalBatch& local, ProcessGroup& group) {
  std::vector<double> bounds;  // of each channel: minus the lowest, then the highest
  for (const auto& frame : local.frames) {
    const auto rows = frame.value.detach().transpose(0, 1).flatten(1);  // [C, everything else]
    for (const auto& bound : {rows.amin(1).neg(), rows.amax(1)}) {
      const auto numbers = bound.to(torch::kCPU, torch::kDouble).contiguous();
      bounds.insert(bounds.end(), numbers.data_ptr<double>(), numbers.data_ptr<double>() + numbers.numel());
    }
  }
  const std::size_t channels = state.count(Role::state);
  for (std::size_t i = 2 * channels; i < bounds.size(); ++i)
    bounds[i % (2 * channels)] = std::max(bounds[i % (2 * channels)], bounds[i]);
  bounds.resize(2 * channels);
  bounds = largest_of_ranks(std::move(bounds), group);
  const bool finite = std::all_of(bounds.begin(), bounds.end(), [](double x) { return std::isfinite(x); });
  if (!finite) return;  // the step will say so
  const bool first = state.lowest.empty();
  state.lowest.resize(channels), state.highest.resize(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    const double low = -bounds[c], high = bounds[channels + c];
    state.lowest[c] = first ? low : std::min(state.lowest[c], low);
    state.highest[c] = first ? high : std::max(state.highest[c], high);
  }
}

}  // namespace cvf::train
