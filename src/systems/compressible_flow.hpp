// Compressible Navier-Stokes of an ideal gas in the periodic unit square.
//
//   rho_t + div(rho v) = 0
//   (rho v)_t + div(rho v v) + grad p = div tau
//   E_t + div((E + p) v) = div(tau v),   E = p/(gamma - 1) + rho |v|^2 / 2
//
// Unsplit MUSCL-Hancock finite volumes with HLLC fluxes (simd/flow.cpp). Mass, momentum and total energy are
// conserved to round-off, viscosity included.
#pragma once

#include "core/random.hpp"
#include "systems/drawn.hpp"
#include "systems/finite_volume.hpp"
#include "systems/system.hpp"

namespace cvf::systems {

enum class Stress { full, pdebench };

/// The viscous constants of Fluid. full: tau = eta (grad v + grad v^T - 2/3 div v) + zeta div v, dynamic
/// viscosities. pdebench: only d_n v_n and d_n v_t, without cross derivatives, and eta, zeta multiplied by
/// the density, as the public data were made; its work is added to the energy, so that total energy stays
/// conserved.
Fluid gas(double gamma, double eta, double zeta, Stress stress);

class CompressibleFlow : public System {
 public:
  enum class Initial { turb, rand };
  enum class Projection { exact, pdebench };

  struct Options {
    Initial initial = Initial::turb;
    Projection projection = Projection::exact;
    Stress viscous = Stress::full;
    double mach = 1, gamma = 5.0 / 3, eta = 1e-8, zeta = 1e-8, window = 0.5, cfl = 0.8;
    Drawn drawn;

    static std::vector<Number<Options>> numbers();
    void describe(config::Section& section);
  };

  /// The drawn start of one sample: primitive planes [4][ny][nx] and what they were made from.
  struct Start {
    std::vector<double> planes;
    double density = 1, temperature = 1;
    bool windowed = false;
  };

  CompressibleFlow(GridSize grid, Options options);

  StateSpec state() const override;
  std::vector<std::string> scalar_names() const override;
  Scalars simulate(const Draw& draw, std::span<const double> times, const FrameSink& sink) const override;

  Start draw_start(const Draw& draw) const;
  FiniteVolume solver() const { return solver(options_.eta, options_.zeta); }
  FiniteVolume solver(double eta, double zeta) const;

 private:
  GridSize grid_;
  Options options_;
};

// The two random starts of compressible_flow.

/// Uniform density 1 and pressure 1/(gamma M^2), divergence-free velocity of mean speed 1: sound moves at
/// 1/M.
CompressibleFlow::Start turbulent_start(GridSize grid, const CompressibleFlow::Options& options,
                                        RandomStream& stream);

/// Random density, pressure and velocity round random means; often inside a window only.
CompressibleFlow::Start random_start(GridSize grid, const CompressibleFlow::Options& options,
                                     RandomStream& stream);

}  // namespace cvf::systems
