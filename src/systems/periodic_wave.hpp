// Steps the semi-discrete wave equation u_tt = c^2 lap_h(u) on a periodic box.
//
// The leap-frog rule u^{n+1} = 2 u^n - u^{n-1} + (c dt)^2 lap_h(u^n) with v^n = (u^{n+1} - u^{n-1}) / (2 dt)
// is written as a map of (u, v), which takes steps of any size and can be run backwards:
//   u^{n+1} = u^n + dt v^n + dt^2/2 c^2 lap_h(u^n)
//   v^{n+1} = v^n + dt/2 c^2 (lap_h(u^n) + lap_h(u^{n+1}))
#pragma once

#include <span>
#include <vector>

#include "systems/system.hpp"

namespace cvf::systems {

class PeriodicWave {
 public:
  /// `planes` [2][ny][nx]: u, then v.
  PeriodicWave(GridSize grid, double dx, double dy, double speed, std::span<const double> planes);

  void step(double dt);
  std::span<const double> planes() const { return planes_; }

  /// The longest stable step (excluded): c dt sqrt(1/dx^2 + 1/dy^2) < 1, on square cells C = c dt/dx <
  /// 1/sqrt(2).
  static double step_limit(double dx, double dy, double speed);

 private:
  void accelerate();

  GridSize grid_;
  double x_factor_, y_factor_;  // (c/dx)^2, (c/dy)^2
  std::vector<double> planes_, acceleration_;
};

}  // namespace cvf::systems
