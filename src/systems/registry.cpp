#include <array>

#include "systems/compressible_flow.hpp"
#include "systems/shallow_water.hpp"
#include "systems/system.hpp"

namespace cvf::systems {

std::span<const Row> registry() {
  static const std::vector<Row> rows{
      {"shallow_water",
       "radial dam break of the shallow-water equations, outflow edges",
       {128, 128},
       101,
       0.01,
       settings_of<ShallowWater>},
      {"compressible_flow",
       "compressible Navier-Stokes turbulence in a periodic box",
       {128, 128},
       21,
       0.05,
       settings_of<CompressibleFlow>},
  };
  return rows;
}

}  // namespace cvf::systems
