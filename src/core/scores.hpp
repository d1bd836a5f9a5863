// Numbers that several rooms report, each defined once (docs/metrics.md).
#pragma once

#include <cmath>
#include <numeric>
#include <optional>
#include <span>

namespace cvf {

/// Normalised rupture error: how far the two halves of a step are from the whole, |rupture| / (|velocity| +
/// eta), from both norms. `eta` keeps it finite where nothing moves. For numbers and for tensors of them.
inline constexpr double nre_eta = 1e-8;
template <class Number>
Number nre(const Number& rupture, const Number& velocity, double eta = nre_eta) {
  return rupture / (velocity + eta);
}

/// L_tau of a rollout: the root of the mean over predicted frames of each frame's mean squared error.
inline double l_tau(std::span<const double> squares_of_frames) {
  const double sum = std::accumulate(squares_of_frames.begin(), squares_of_frames.end(), 0.0);
  return std::sqrt(sum / static_cast<double>(squares_of_frames.size()));
}

/// (NFE_model / NFE_base) / (L_base - L_model): evaluations paid for each unit of error saved against the
/// base method. None where the model is not the better one, or a number is missing.
inline std::optional<double> cped(std::optional<double> nfe_model, std::optional<double> nfe_base,
                                  std::optional<double> loss_model, std::optional<double> loss_base) {
  if (!nfe_model || !nfe_base || !loss_model || !loss_base) return std::nullopt;
  if (!(*loss_base > *loss_model) || !(*nfe_base > 0)) return std::nullopt;
  return (*nfe_model / *nfe_base) / (*loss_base - *loss_model);
}

}  // namespace cvf
