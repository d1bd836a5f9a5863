#include "core/registry.hpp"

#include "solvers/solver.hpp"

namespace cvf::solvers {

// fixed.cpp, pairs.cpp, gcs.cpp
std::unique_ptr<Settings> euler_settings();
std::unique_ptr<Settings> rk4_settings();
std::unique_ptr<Settings> dopri5_settings();
std::unique_ptr<Settings> tsit5_settings();
std::unique_ptr<Settings> gcs_settings();

std::span<const Entry> registry() {
  static const std::vector<Entry> rows{
      {"euler", "fixed steps along the mean velocity, s + h psi(s, h)", 1, false, euler_settings},
      {"rk4", "classical Runge-Kutta with fixed steps", 4, true, rk4_settings},
      {"dopri5", "Dormand-Prince 5(4): steps from an error estimate", 5, true, dopri5_settings},
      {"tsit5", "Tsitouras 5(4): steps from an error estimate", 5, true, tsit5_settings},
      {"gcs", "greedy consistency: steps as long as the field agrees with itself", 1, false, gcs_settings},
  };
  return rows;
}

std::unique_ptr<Solver> make(std::string_view name, const Context& context) {
  return find(registry(), name, "solver").settings()->build(context);
}

}  // namespace cvf::solvers
