// What the kinds of normalizers are, without the tensors: their names, options, and what den(psi) is made of.
#pragma once

#include <array>
#include <string_view>

#include "core/config.hpp"

namespace cvf::normalizers {

struct Options {
  double decay = 0.999;
  void describe(config::Section& section);
};

/// Added to variances before a deviation is taken.
inline constexpr double state_epsilon = 1e-8, velocity_epsilon = 1e-12;

/// den(psi) = psi * factor + offset, for numbers and for tensors of them.
template <class Number>
struct AffineOf {
  Number factor, offset;
};

/// The moments of v/sigma_s: den(psi) = sigma_v psi + mu_v
struct CascadedKind {
  static constexpr std::string_view name = "cascaded",
                                    summary = "velocity statistics of v/sigma_s, on top of the state's";
  template <class Number>
  static AffineOf<Number> den(const Number&, const Number& velocity_mean, const Number& sigma_velocity) {
    return {sigma_velocity, velocity_mean};
  }
};

/// The moments of v itself: den(psi) = (sigma'_v psi + mu'_v)/sigma_s
struct SeparatedKind {
  static constexpr std::string_view name = "separated",
                                    summary = "velocity statistics of v itself, independent of the state's";
  template <class Number>
  static AffineOf<Number> den(const Number& sigma_state, const Number& velocity_mean,
                              const Number& sigma_velocity) {
    return {sigma_velocity / sigma_state, velocity_mean / sigma_state};
  }
};

/// The state's statistics only: den(psi) = psi
struct SingleKind {
  static constexpr std::string_view name = "single", summary = "the state's statistics only";
  template <class Number>
  static AffineOf<Number> den(const Number&, const Number& velocity_mean, const Number&) {
    return {0 * velocity_mean + 1, 0 * velocity_mean};
  }
};

inline constexpr std::array kind_names{CascadedKind::name, SeparatedKind::name, SingleKind::name};

}  // namespace cvf::normalizers
