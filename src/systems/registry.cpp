#include "systems/diffusion_reaction.hpp"
#include "systems/system.hpp"

namespace cvf::systems {

std::span<const Row> registry() {
  static const std::vector<Row> rows{
      {"diffusion_reaction",
       "FitzHugh-Nagumo diffusion-reaction in a box without flux through its walls",
       {128, 128},
       101,
       0.05,
       settings_of<DiffusionReaction>},
  };
  return rows;
}

}  // namespace cvf::systems
