// What is behind the table of metrics: the makers, each in the file of its kind, and the quantities that two
// of them compare.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/torch.hpp"
#include "metrics/metric.hpp"

namespace cvf::metrics {

std::unique_ptr<Metric> make_step_rmse(const Setting& setting);
std::unique_ptr<Metric> make_rollout_rmse(const Setting& setting);
std::unique_ptr<Metric> make_normalized_rmse(const Setting& setting);
std::unique_ptr<Metric> make_relative_l2(const Setting& setting);
std::unique_ptr<Metric> make_spectrum_error(const Setting& setting);
std::unique_ptr<Metric> make_conserved(const Setting& setting);
std::unique_ptr<Metric> make_correlation_time(const Setting& setting);
std::unique_ptr<Metric> make_evaluations(const Setting& setting);
std::unique_ptr<Metric> make_seconds(const Setting& setting);

constexpr double decorrelated_below = 0.8;

/// Energy of a field by wave number: fields [B,C,W] or [B,C,H,W] in double -> [B,C,K]: |Fourier
/// coefficient|^2 added up over the shell around each whole wave number k = 0 .. K-1, K - 1 being half of the
/// shorter side (waves of two cells). k counts waves along the longest side; cells are taken as square.
/// Coefficients are divided by the number of cells, so that a wave a cos(kx) has the energy a^2/2 whatever
/// the grid.
torch::Tensor radial_spectrum(const torch::Tensor& fields);

/// Makes the density [B,...] of a total from the state [B,C,...].
using Density = std::function<torch::Tensor(const torch::Tensor& state)>;

/// A total that a known system keeps.
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
