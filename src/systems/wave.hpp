// The linear wave equation u_tt = c^2 lap(u) on a periodic box, from one or more Gaussian bumps at rest;
// channels u and v = u_t. Leap-frog in time, five-point Laplacian in space.
//
// The solver's step is fixed by the options alone: wanted times that are multiples of it are steps of the
// leap-frog rule; any other time is reached by one shorter step from the multiple before it, which the run
// itself then forgets.
#pragma once

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

}  // namespace cvf::systems
