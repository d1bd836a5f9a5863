// The two-dimensional FitzHugh-Nagumo diffusion-reaction system on a box without flux through its walls.
//
//   u_t = du lap(u) + u - u^3 - k - v      v_t = dv lap(v) + u - v
//
// Cell-centred, five-point Laplacian; walls drop the missing neighbour. With `initial = "legacy"` the initial
// states are those of the public data set bit for bit.
#pragma once

#include "systems/fitzhugh_nagumo.hpp"
#include "systems/system.hpp"

namespace cvf::systems {

class DiffusionReaction : public System {
 public:
  enum class Initial { legacy, normal, smooth };

  struct Options {
    FitzHughNagumo equation;
    Drawn drawn;
    Initial initial = Initial::legacy;
    double amplitude = 1;
    double correlation_length = 0.1;
    double burn_in = 0;
    std::vector<double> x_range{-1, 1}, y_range{-1, 1};

    void describe(config::Section& section);
  };

  DiffusionReaction(GridSize grid, Options options);

  StateSpec state() const override;
  Scalars simulate(const Draw& draw, std::span<const double> times, const FrameSink& sink) const override;
  std::vector<std::string> scalar_names() const override;
  bool flow(std::span<const double> state, std::span<const double> times,
            const FrameSink& sink) const override;

  /// Planes [2][ny][nx] before any burn-in.
  std::vector<double> initial_state(const Draw& draw) const;
  /// A fresh solver for this grid and these options.
  FitzHughNagumoSolver solver(Flavour flavour = best_flavour()) const {
    return solver(options_.equation, flavour);
  }

 private:
  FitzHughNagumoSolver solver(const FitzHughNagumo& equation, Flavour flavour = best_flavour()) const;

  GridSize grid_;
  Options options_;
};

}  // namespace cvf::systems
