// Small ordinary differential equations as plain structs: their numbers, the range that each component of the
// initial state is drawn from, and the right-hand side. Those with a `control` can be driven: it is added to
// the slope of component `driven`. small_ode.hpp makes a System of each.
#pragma once

#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/config.hpp"
#include "systems/drawn.hpp"

namespace cvf::systems {

struct Component {
  std::string_view name;
  double low, high;  // default range of the initial value
};

/// angle'' = -(gravity / length) sin(angle)
struct Pendulum {
  static constexpr std::string_view name = "pendulum";
  static constexpr std::array components{Component{"angle", -2.5, 2.5}, Component{"velocity", -1, 1}};
  static constexpr std::string_view control = "torque";  // over the moment of inertia
  static constexpr std::size_t driven = 1;
  double gravity = 1, length = 1;

  static std::vector<Number<Pendulum>> numbers() {
    return {{"gravity", &Pendulum::gravity, "acceleration of gravity", config::above(0)},
            {"length", &Pendulum::length, "length of the pendulum", config::above(0)}};
  }
  void slope(const double* s, double* out) const {
    out[0] = s[1];
    out[1] = -gravity / length * std::sin(s[0]);
  }
};

/// angle'' = -(gravity / length) sin(angle) - damping angle'
struct DampedPendulum : Pendulum {
  static constexpr std::string_view name = "damped_pendulum";
  double damping = 0.2;

  static std::vector<Number<DampedPendulum>> numbers() {
    return {{"gravity", &DampedPendulum::gravity, "acceleration of gravity", config::above(0)},
            {"length", &DampedPendulum::length, "length of the pendulum", config::above(0)},
            {"damping", &DampedPendulum::damping, "rate at which friction slows the pendulum",
             config::at_least(0)}};
  }
  void slope(const double* s, double* out) const {
    Pendulum::slope(s, out);
    out[1] -= damping * s[1];
  }
};

/// x'' = -frequency^2 x
struct HarmonicOscillator {
  static constexpr std::string_view name = "harmonic_oscillator";
  static constexpr std::array components{Component{"position", -1, 1}, Component{"velocity", -1, 1}};
  double frequency = 1;

  static std::vector<Number<HarmonicOscillator>> numbers() {
    return {{"frequency", &HarmonicOscillator::frequency, "angular frequency", config::above(0)}};
  }
  void slope(const double* s, double* out) const {
    out[0] = s[1];
    out[1] = -frequency * frequency * s[0];
  }
};

/// x'' = -damping x' - alpha x - beta x^3 + force
struct Duffing {
  static constexpr std::string_view name = "duffing";
  static constexpr std::array components{Component{"position", -1, 1}, Component{"velocity", -1, 1}};
  static constexpr std::string_view control = "force";
  static constexpr std::size_t driven = 1;
  static constexpr bool driven_by_default = true;
  double alpha = 1, beta = 1, damping = 0.2;

  static std::vector<Number<Duffing>> numbers() {
    return {{"alpha", &Duffing::alpha, "stiffness: the square of the frequency of small oscillations", {}},
            {"beta", &Duffing::beta, "stiffness that grows with the square of the position", {}},
            {"damping", &Duffing::damping, "rate at which friction slows it", config::at_least(0)}};
  }
  void slope(const double* s, double* out) const {
    out[0] = s[1];
    out[1] = -damping * s[1] - (alpha + beta * s[0] * s[0]) * s[0];
  }
};

/// prey' = growth prey - predation prey predator,  predator' = gain prey predator - death predator
struct LotkaVolterra {
  static constexpr std::string_view name = "lotka_volterra";
  static constexpr std::array components{Component{"prey", 0.5, 2.5}, Component{"predator", 0.5, 2.5}};
  double growth = 1, predation = 1, gain = 1, death = 1;

  static std::vector<Number<LotkaVolterra>> numbers() {
    return {
        {"growth", &LotkaVolterra::growth, "birth rate of the prey", config::above(0)},
        {"predation", &LotkaVolterra::predation, "rate at which a predator catches prey", config::above(0)},
        {"gain", &LotkaVolterra::gain, "predators born for each prey and predator", config::above(0)},
        {"death", &LotkaVolterra::death, "death rate of the predators", config::above(0)}};
  }
  void slope(const double* s, double* out) const {
    out[0] = s[0] * (growth - predation * s[1]);
    out[1] = s[1] * (gain * s[0] - death);
  }
};

/// x' = sigma (y - x),  y' = x (rho - z) - y,  z' = x y - beta z
struct Lorenz {
  static constexpr std::string_view name = "lorenz";
  static constexpr std::array components{Component{"x", -10, 10}, Component{"y", -10, 10},
                                         Component{"z", 15, 35}};
  double sigma = 10, rho = 28, beta = 8.0 / 3;

  static std::vector<Number<Lorenz>> numbers() {
    return {{"sigma", &Lorenz::sigma, "Prandtl number", {}},
            {"rho", &Lorenz::rho, "Rayleigh number over its critical value", {}},
            {"beta", &Lorenz::beta, "shape of the convection rolls", {}}};
  }
  void slope(const double* s, double* out) const {
    out[0] = sigma * (s[1] - s[0]);
    out[1] = s[0] * (rho - s[2]) - s[1];
    out[2] = s[0] * s[1] - beta * s[2];
  }
};

/// r'' = -attraction r / |r|^3 in the plane; the default ranges give bound orbits that stay away from the
/// centre.
struct Kepler {
  static constexpr std::string_view name = "kepler";
  static constexpr std::array components{Component{"x", 0.9, 1.1}, Component{"y", -0.2, 0.2},
                                         Component{"x_velocity", -0.2, 0.2},
                                         Component{"y_velocity", 0.8, 1.15}};
  double attraction = 1;

  static std::vector<Number<Kepler>> numbers() {
    return {{"attraction", &Kepler::attraction, "mass of the centre times the gravitational constant",
             config::above(0)}};
  }
  void slope(const double* s, double* out) const {
    const double r = std::sqrt(s[0] * s[0] + s[1] * s[1]), pull = -attraction / (r * r * r);
    out[0] = s[2];
    out[1] = s[3];
    out[2] = pull * s[0];
    out[3] = pull * s[1];
  }
};

/// x'' = mu (1 - x^2) x' - x
struct VanDerPol {
  static constexpr std::string_view name = "van_der_pol";
  static constexpr std::array components{Component{"position", -2, 2}, Component{"velocity", -2, 2}};
  double mu = 2;

  static std::vector<Number<VanDerPol>> numbers() {
    return {{"mu", &VanDerPol::mu, "strength of the nonlinear damping", config::at_least(0)}};
  }
  void slope(const double* s, double* out) const {
    out[0] = s[1];
    out[1] = mu * (1 - s[0] * s[0]) * s[1] - s[0];
  }
};

}  // namespace cvf::systems
