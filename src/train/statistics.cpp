#include <algorithm>

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

}  // namespace cvf::train
