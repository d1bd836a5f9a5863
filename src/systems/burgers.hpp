// Burgers' equation u_t + (u^2/2)_x = nu u_xx on a periodic line, from smooth random states: waves that
// steepen into shocks as thick as the viscosity lets them be.
//
// Finite volumes: slopes limited by the monotonised central rule, Godunov's flux, central differences for the
// viscous part, the three-stage Runge-Kutta method that keeps total variation from growing. Second order
// where the solution is smooth; the mean is kept to round-off. |u| never grows, so the state at hand bounds
// the step of all that follows.
#pragma once

#include "systems/system.hpp"

namespace cvf::systems {

class Burgers : public System {
 public:
  struct Options {
    double viscosity = 0.01;
    double length = 1;
    int modes = 4;
    double amplitude = 1;
    double mean = 0;
    double cfl = 0.5;

    void describe(config::Section& section);
  };

  Burgers(GridSize grid, const Options& options);

  StateSpec state() const override;
  Scalars simulate(const Draw& draw, std::span<const double> times, const FrameSink& sink) const override;
  std::vector<std::string> scalar_names() const override { return {"solver_steps", "mean", "rms"}; }
  bool flow(std::span<const double> state, std::span<const double> times,
            const FrameSink& sink) const override;

  /// Cell averages of a mean and `modes` sines of random phase.
  std::vector<double> initial_state(const Draw& draw) const;

 private:
  double follow(std::vector<double> state, std::span<const double> times, const FrameSink& sink) const;

  GridSize grid_;
  Options options_;
  double dx_;
};

}  // namespace cvf::systems
