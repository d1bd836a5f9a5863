#include "train/statistics.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/interrupt.hpp"

namespace cvf::train {
namespace {

using normalizers::Moments;
using normalizers::Normalizer;

constexpr std::size_t most_values = 1 << 26, most_batches = 256;

// The same on every rank: the mean of the ranks' means and of their second moments.
Moments of_all_ranks(const Moments& own, Team& team) {
  if (team.size() == 1) return own;
  Moments out = own;
  out.mean = own.mean.clone();
  out.variance = own.variance + own.mean.square();
  team.average(std::vector<torch::Tensor>{out.mean, out.variance});
  out.variance = (out.variance - out.mean.square()).clamp_min(0);
  return out;
}

Normalizer::Measured of_all_ranks(const Normalizer::Measured& own, Team& team) {
  return {of_all_ranks(own.state, team), of_all_ranks(own.velocity, team)};
}

}  // namespace

// Two passes over the same batches: what velocities are measured in may depend on the states' statistics. On
// a signal a rank breaks off, and all end at the next agreement.
void fit_statistics(Normalizer& normalizer, Feed& feed, Team& team) {
  const data::Cursor start{};
  const auto agree = [&team](bool interrupted) {
    if (team.any(interrupted))
      throw Interrupted("interrupted before the first step; there was nothing to save");
  };
  const auto most = std::min(most_batches, feed.loader().batches_per_epoch());
  std::vector<Moments> states;
  const Portion* portion = nullptr;
  bool going = true;
  for (std::size_t values = 0; states.size() < most && values <= most_values;
       values += static_cast<std::size_t>(portion->frames[0].value.numel())) {
    portion = feed.next(interrupt::requested);
    going = portion != nullptr && !interrupt::requested();
    if (!going) break;
    states.push_back(Moments::of(portion->frames[0].value));
  }
  agree(!going);
  normalizer.fit(of_all_ranks(Moments::merged(states), team));
  feed.loader().seek(start);
  std::vector<Moments> velocities;
  while (going && velocities.size() < states.size()) {
    portion = feed.next(interrupt::requested);
    going = portion != nullptr && !interrupt::requested();
    if (going) velocities.push_back(normalizer.measure(portion->frames[0], portion->secant()).velocity);
  }
  agree(!going);
  normalizer.fit({normalizer.state_moments(), of_all_ranks(Moments::merged(velocities), team)});
  feed.loader().seek(start);
}

void follow_statistics(Normalizer& normalizer, const Portion& portion, Team& team) {
  normalizer.follow(of_all_ranks(normalizer.measure(portion.frames[0], portion.secant()), team));
}

}  // namespace cvf::train
