// The table of totals, each as the density that is summed over space.
#include "metrics/kinds.hpp"

namespace cvf::metrics {
namespace {

using torch::Tensor;

double parameter(const Setting& setting, const char* name, double otherwise) {
  const auto found = setting.parameters.find(name);
  return found == setting.parameters.end() ? otherwise : found->second;
}

Tensor at(const Tensor& state, std::int64_t channel) {
  return state.select(1, channel);
}

Density first(const Setting&) {
  return [](const Tensor& s) { return at(s, 0); };
}

Density product(const Setting&) {
  return [](const Tensor& s) { return at(s, 0) * at(s, 1); };
}

// E = p/(gamma - 1) + rho |v|^2 / 2 of density, pressure, Vx, Vy
Density gas_energy(const Setting& setting) {
  const double gamma = parameter(setting, "gamma", 5.0 / 3);
  return [gamma](const Tensor& s) {
    return at(s, 1) / (gamma - 1) + 0.5 * at(s, 0) * (at(s, 2).square() + at(s, 3).square());
  };
}

// (v^2 + c^2 |grad u|^2)/2 with forward differences on the periodic box: what the five-point Laplacian keeps
Density wave_energy(const Setting& setting) {
  const double c = parameter(setting, "c", 1);
  std::vector<double> spacing;
  for (const auto& axis : setting.state.axes)
    spacing.push_back(std::isnan(axis.spacing()) ? 1 : axis.spacing());
  return [c, spacing](const Tensor& s) {
    const Tensor u = at(s, 0);
    Tensor energy = at(s, 1).square();
    for (std::int64_t axis = 1; axis < u.dim(); ++axis) {
      const auto from_the_last = static_cast<std::size_t>(u.dim() - axis);
      const double width = from_the_last > spacing.size() ? 1 : spacing[spacing.size() - from_the_last];
      energy = energy + ((u.roll(-1, axis) - u) * (c / width)).square();
    }
    return 0.5 * energy;
  };
}

Density pendulum_energy(const Setting& setting) {
  const double stiffness = parameter(setting, "gravity", 1) / parameter(setting, "length", 1);
  return [stiffness](const Tensor& s) { return 0.5 * at(s, 1).square() + stiffness * (1 - at(s, 0).cos()); };
}

Density spring_energy(const Setting& setting) {
  const double frequency = parameter(setting, "frequency", 1);
  return [frequency](const Tensor& s) { return 0.5 * (at(s, 1).square() + (frequency * at(s, 0)).square()); };
}

// V = gain prey - death ln(prey) + predation predator - growth ln(predator)
Density volterra(const Setting& setting) {
  const double growth = parameter(setting, "growth", 1), predation = parameter(setting, "predation", 1),
               gain = parameter(setting, "gain", 1), death = parameter(setting, "death", 1);
  return [=](const Tensor& s) {
    return gain * at(s, 0) - death * at(s, 0).log() + predation * at(s, 1) - growth * at(s, 1).log();
  };
}

Density orbit_energy(const Setting& setting) {
  const double attraction = parameter(setting, "attraction", 1);
  return [attraction](const Tensor& s) {
    const Tensor radius = (at(s, 0).square() + at(s, 1).square()).sqrt();
    return 0.5 * (at(s, 2).square() + at(s, 3).square()) - attraction / radius;
  };
}

Density angular_momentum(const Setting&) {
  return [](const Tensor& s) { return at(s, 0) * at(s, 3) - at(s, 1) * at(s, 2); };
}

constexpr std::string_view exactly = "exactly";
constexpr std::string_view to_its_order = "to the order of its scheme";

}  // namespace

std::span<const Conserved> conserved_quantities() {
  static const std::vector<Conserved> rows{
      {"shallow_water", {"h"}, "mass", "until a wave leaves through the open edges", first},
      {"compressible_flow", {"density"}, "mass", exactly, first},
      {"compressible_flow", {"density", "Vx"}, "x momentum", exactly, product},
      {"compressible_flow", {"density", "Vy"}, "y momentum", exactly, product},
      {"compressible_flow", {"density", "pressure", "Vx", "Vy"}, "energy", exactly, gas_energy},
      {"compressible_flow", {"momentum_x"}, "x momentum", exactly, first},
      {"compressible_flow", {"momentum_y"}, "y momentum", exactly, first},
      {"compressible_flow", {"energy"}, "energy", exactly, first},
      {"wave", {"v"}, "momentum", exactly, first},
      {"wave", {"u", "v"}, "energy", to_its_order, wave_energy},
      {"pendulum", {"angle", "velocity"}, "energy", to_its_order, pendulum_energy},
      {"harmonic_oscillator", {"position", "velocity"}, "energy", to_its_order, spring_energy},
      {"lotka_volterra", {"prey", "predator"}, "Volterra's function", to_its_order, volterra},
      {"kepler", {"x", "y", "x_velocity", "y_velocity"}, "energy", to_its_order, orbit_energy},
      {"kepler", {"x", "y", "x_velocity", "y_velocity"}, "angular momentum", to_its_order, angular_momentum},
  };
  return rows;
}

}  // namespace cvf::metrics
