// The linear wave equation u_tt = c^2 lap(u) on a periodic box, from one or more Gaussian bumps at rest;
// channels u and v = u_t. Leap-frog in time, five-point Laplacian in space.
//
// The solver's step is fixed by the options alone: wanted times that are multiples of it are steps of the
// leap-frog rule; any other time is reached by one shorter step from the multiple before it, which the run
// itself then forgets.
#pragma once

#include <span>
#include <vector>

#include "core/random.hpp"
#include "systems/system.hpp"

namespace cvf::systems {

class Wave : public System {
 public:
  struct Options {
    double c = 1;
    double length = 2;
    double height = 0;  // 0: as length
    double dt = 0;      // 0: chosen
    std::vector<double> sigma{0.05, 0.15};
    int max_count = 3;

    void describe(config::Section& section);
  };

  struct Bump {
    double x = 0, y = 0, sigma = 0;
  };

  Wave(GridSize grid, Options options);

  StateSpec state() const override;
  Scalars simulate(const Draw& draw, std::span<const double> times, const FrameSink& sink) const override;
  std::vector<std::string> scalar_names() const override;

  double solver_step() const { return dt_; }
  std::vector<Bump> draw_bumps(const Draw& draw) const;
  std::vector<double> initial_state(std::span<const Bump> bumps) const;  // planes [2][ny][nx]

 private:
  GridSize grid_;
  Options options_;
  double dx_, dy_, dt_;
};

/// Steps the semi-discrete wave equation u_tt = c^2 lap_h(u) on a periodic box.
///
/// The leap-frog rule u^{n+1} = 2 u^n - u^{n-1} + (c dt)^2 lap_h(u^n) with v^n = (u^{n+1} - u^{n-1}) / (2 dt)
/// is written as a map of (u, v), which takes steps of any size and can be run backwards:
///   u^{n+1} = u^n + dt v^n + dt^2/2 c^2 lap_h(u^n)
///   v^{n+1} = v^n + dt/2 c^2 (lap_h(u^n) + lap_h(u^{n+1}))
class PeriodicWave {
 public:
  /// `planes` [2][ny][nx]: u, then v.
  PeriodicWave(GridSize grid, double dy, double dx, double speed, std::span<const double> planes);

  void step(double dt);
  std::span<const double> planes() const { return planes_; }

  /// The longest stable step (excluded): c dt sqrt(1/dy^2 + 1/dx^2) < 1, on square cells C = c dt/dx <
  /// 1/sqrt(2).
  static double step_limit(double dy, double dx, double speed);

 private:
  void accelerate();

  GridSize grid_;
  double x_factor_, y_factor_;  // (c/dx)^2, (c/dy)^2
  std::vector<double> planes_, acceleration_;
};

}  // namespace cvf::systems
