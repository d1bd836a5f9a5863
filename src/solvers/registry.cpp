#include "core/registry.hpp"

#include "solvers/dopri5.hpp"
#include "solvers/euler.hpp"
#include "solvers/gcs.hpp"
#include "solvers/rk4.hpp"
#include "solvers/tsit5.hpp"

namespace cvf::solvers {

std::span<const Entry> registry() {
  static const std::vector<Entry> rows{
      {"euler", "fixed steps along the mean velocity, s + h psi(s, h)", 1, false, settings_of<Euler>},
      {"rk4", "classical Runge-Kutta with fixed steps", 4, true, settings_of<Rk4>},
      {"dopri5", "Dormand-Prince 5(4): steps from an error estimate", 5, true, settings_of<Dopri5>},
      {"tsit5", "Tsitouras 5(4): steps from an error estimate", 5, true, settings_of<Tsit5>},
      {"gcs", "greedy consistency: steps as long as the field agrees with itself", 1, false,
       settings_of<Gcs>},
  };
  return rows;
}

std::unique_ptr<Solver> make(std::string_view name, const Context& context) {
  return find(registry(), name, "solver").settings()->build(context);
}

}  // namespace cvf::solvers
