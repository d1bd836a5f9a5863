#include "systems/advection_diffusion.hpp"
#include "systems/burgers.hpp"
#include "systems/compressible_flow.hpp"
#include "systems/diffusion_reaction.hpp"
#include "systems/shallow_water.hpp"
#include "systems/small_ode.hpp"
#include "systems/system.hpp"
#include "systems/wave.hpp"

namespace cvf::systems {

std::span<const Row> registry() {
  static const std::vector<Row> rows{
      {"diffusion_reaction",
       "FitzHugh-Nagumo diffusion-reaction, no flux through the walls",
       {128, 128},
       101,
       0.05,
       settings_of<DiffusionReaction>},
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
      {"wave",
       "linear waves on a periodic box, from Gaussian bumps",
       {128, 128},
       100,
       0.01,
       settings_of<Wave>},
      {"burgers",
       "Burgers' equation on a periodic line, from smooth random states",
       {1, 128},
       101,
       0.01,
       settings_of<Burgers>},
      {"advection_diffusion",
       "a substance that streams and spreads in a periodic box, exact",
       {64, 64},
       101,
       0.01,
       settings_of<AdvectionDiffusion<BoxTransport>>},
      {"advection_diffusion_1d",
       "a substance that streams and spreads on a periodic line, exact",
       {1, 128},
       101,
       0.01,
       settings_of<AdvectionDiffusion<LineTransport>>},
      {"pendulum", "a pendulum without friction", {}, 97, 0.1, settings_of<SmallOde<Pendulum>>},
      {"damped_pendulum", "a pendulum with friction", {}, 97, 0.1, settings_of<SmallOde<DampedPendulum>>},
      {"duffing",
       "an oscillator with a stiffening spring, driven by a random force",
       {},
       97,
       0.1,
       settings_of<SmallOde<Duffing>>},
      {"lotka_volterra", "predators and prey", {}, 97, 0.1, settings_of<SmallOde<LotkaVolterra>>},
      {"lorenz", "the Lorenz attractor", {}, 101, 0.02, settings_of<SmallOde<Lorenz>>},
      {"harmonic_oscillator", "a mass on a spring", {}, 97, 0.1, settings_of<SmallOde<HarmonicOscillator>>},
      {"kepler", "a planet around a fixed sun", {}, 101, 0.1, settings_of<SmallOde<Kepler>>},
      {"van_der_pol", "an oscillator with nonlinear damping", {}, 97, 0.1, settings_of<SmallOde<VanDerPol>>},
  };
  return rows;
}

}  // namespace cvf::systems
