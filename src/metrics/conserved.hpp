// Totals that a known system keeps.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "metrics/metric.hpp"

namespace cvf::metrics {

/// Makes the density [B,...] of a total from the state [B,C,...].
using Density = std::function<torch::Tensor(const torch::Tensor& state)>;

struct Conserved {
  std::string_view system;
  std::vector<std::string_view> channels;  // the names that the density reads, in this order
  std::string_view quantity;
  std::string_view keeps;                      // how well the system itself keeps it
  Density (*density)(const Setting& setting);  // of a state with those channels only
};

/// Only what is really conserved: no row for diffusion-reaction, Lorenz, van der Pol or the damped pendulum.
std::span<const Conserved> conserved_quantities();

/// The rows that fit the setting's system and channels.
std::vector<const Conserved*> conserved_in(const Setting& setting);

}  // namespace cvf::metrics
