#include "train/statistics.hpp"

#include <algorithm>

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

// Two passes over the same batches: what velocities are measured in may depend on the states' statistics.
void fit_statistics(Normalizer& normalizer, Feed& feed, Team& team) {
  const data::Cursor start{};
  std::size_t batches = 0;
  std::vector<Moments> states;
  for (std::size_t values = 0; batches < std::min(most_batches, feed.loader().batches_per_epoch());
       ++batches) {
    const Portion& portion = feed.next();
    states.push_back(Moments::of(portion.frames[0].value));
    values += static_cast<std::size_t>(portion.frames[0].value.numel());
    if (values > most_values) break;
  }
  normalizer.fit(of_all_ranks(Moments::merged(states), team));
  feed.loader().seek(start);
  std::vector<Moments> velocities;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Portion& portion = feed.next();
    velocities.push_back(normalizer.measure(portion.frames[0], portion.secant()).velocity);
  }
  normalizer.fit({normalizer.state_moments(), of_all_ranks(Moments::merged(velocities), team)});
  feed.loader().seek(start);
}

void follow_statistics(Normalizer& normalizer, const Portion& portion, Team& team) {
  normalizer.follow(of_all_ranks(normalizer.measure(portion.frames[0], portion.secant()), team));
}

}  // namespace cvf::train
