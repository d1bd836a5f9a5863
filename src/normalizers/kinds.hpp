// What the kinds of normalizers are, without the tensors: their names, options, and what den(psi) is made of.
#pragma once

#include <array>
#include <string_view>

#include "core/config.hpp"

namespace cvf::normalizers {

struct Options {
  double decay = 0.999;
  double relative_epsilon = 1e-12;
  double time_unit = 1;  // of velocities, from the model's training interval; not described
  void describe(config::Section& section);
};

// Deviations from variances. With an epsilon relative to the mean state and to the time unit, the normalised
// problem does not depend on the units of states and times. Zero selects the absolute epsilons that models
// had before there was a relative one: their bits stay.

inline constexpr double state_epsilon = 1e-8, velocity_epsilon = 1e-12;

/// sqrt(variance + relative_epsilon mean^2); 1 for a channel that is zero everywhere.
double state_deviation(double variance, double mean, const Options& options);

/// sqrt(variance + relative_epsilon (unit / time_unit)^2) of a velocity in this unit of the state.
double velocity_deviation(double variance, double unit, const Options& options);

/// den(psi) = psi * factor + offset, for numbers and for tensors of them.
template <class Number>
struct AffineOf {
  Number factor, offset;
};

// unit(sigma_s): what the moments of velocities are measured in, beside time.

/// The moments of v/sigma_s: den(psi) = sigma_v psi + mu_v
struct CascadedKind {
  static constexpr std::string_view name = "cascaded",
                                    summary = "velocity statistics of v/sigma_s, on top of the state's";
  static double unit(double /*sigma_state*/) { return 1; }
  template <class Number>
  static AffineOf<Number> den(const Number&, const Number& velocity_mean, const Number& sigma_velocity) {
    return {sigma_velocity, velocity_mean};
  }
};

/// The moments of v itself: den(psi) = (sigma'_v psi + mu'_v)/sigma_s
struct SeparatedKind {
  static constexpr std::string_view name = "separated",
                                    summary = "velocity statistics of v itself, independent of the state's";
  static double unit(double sigma_state) { return sigma_state; }
  template <class Number>
  static AffineOf<Number> den(const Number& sigma_state, const Number& velocity_mean,
                              const Number& sigma_velocity) {
    return {sigma_velocity / sigma_state, velocity_mean / sigma_state};
  }
};

/// The state's statistics only: den(psi) = psi
struct SingleKind {
  static constexpr std::string_view name = "single", summary = "the state's statistics only";
  static double unit(double /*sigma_state*/) { return 1; }
  template <class Number>
  static AffineOf<Number> den(const Number&, const Number& velocity_mean, const Number&) {
    return {0 * velocity_mean + 1, 0 * velocity_mean};
  }
};

inline constexpr std::array kind_names{CascadedKind::name, SeparatedKind::name, SingleKind::name};

}  // namespace cvf::normalizers
