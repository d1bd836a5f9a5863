// u_t + a.grad u = nu lap u on a periodic line or box, from smooth random states. Each Fourier mode moves
// with a and decays at nu |k|^2, so every frame is exact at the cell centres.
#pragma once

#include <fmt/format.h>

#include "systems/drawn.hpp"
#include "systems/grid.hpp"
#include "systems/random_fields.hpp"
#include "systems/system.hpp"

namespace cvf::systems {

/// The equation on a line and in a box.
struct LineTransport {
  static constexpr std::string_view name = "advection_diffusion_1d";
  static constexpr bool is_line = true;
  double velocity = 1, diffusivity = 0.01;

  static std::vector<Number<LineTransport>> numbers() {
    return {{"velocity", &LineTransport::velocity, "of the stream", {}},
            {"diffusivity", &LineTransport::diffusivity, "nu", config::at_least(0)}};
  }
  double along_x() const { return velocity; }
  double along_y() const { return 0; }
};

struct BoxTransport {
  static constexpr std::string_view name = "advection_diffusion";
  static constexpr bool is_line = false;
  double velocity_x = 1, velocity_y = 0.5, diffusivity = 0.01;

  static std::vector<Number<BoxTransport>> numbers() {
    return {{"velocity_x", &BoxTransport::velocity_x, "of the stream, along x", {}},
            {"velocity_y", &BoxTransport::velocity_y, "of the stream, along y", {}},
            {"diffusivity", &BoxTransport::diffusivity, "nu", config::at_least(0)}};
  }
  double along_x() const { return velocity_x; }
  double along_y() const { return velocity_y; }
};

/// Waves up to `modes` along each side, of random size (normal, over the wave number) and phase, scaled to a
/// root mean square of `amplitude`.
Waves smooth_waves(bool line, int modes, double amplitude, RandomStream& random);

/// What becomes of them in time t; k is scaled by 2 pi / length, as in the box of that side.
Waves transported(const Waves& waves, double along_x, double along_y, double diffusivity, double length,
                  double t);

void check_transport(std::string_view name, GridSize grid, bool line);

template <class Transport>
class AdvectionDiffusion : public System {
 public:
  struct Options {
    Transport equation;
    Drawn drawn;
    double length = 1, amplitude = 1;
    int modes = 3;

    void describe(config::Section& section) {
      drawn.describe(section, equation);
      section.key("length", &length, "of each side", config::above(0));
      section.key("modes", &modes, "an initial state has waves of wave number 1 .. modes along a side",
                  config::between(1, highest_wave));
      section.key("amplitude", &amplitude, "root mean square of an initial state", config::above(0));
    }
  };

  AdvectionDiffusion(GridSize grid, Options options) : grid_(grid), options_(std::move(options)) {
    check_transport(Transport::name, grid, Transport::is_line);
    options_.drawn.check(Transport::name);
  }

  StateSpec state() const override {
    const auto along = [this](const char* name, int count) {
      return axis_of_cells(name, count, 0, options_.length, Boundary::periodic);
    };
    return state_of({"u"}, {along("y", grid_.ny), along("x", grid_.nx)})
        .set_names(Role::parameter, options_.drawn.names());
  }
  std::vector<std::string> scalar_names() const override { return options_.drawn.names(); }

  Waves initial_waves(const Draw& draw) const {
    RandomStream random(draw.seed, fmt::format("{} attempt {}", Transport::name, draw.attempt), draw.sample);
    return smooth_waves(Transport::is_line, options_.modes, options_.amplitude, random);
  }

  Scalars simulate(const Draw& draw, std::span<const double> times, const FrameSink& sink) const override {
    const Transport equation = options_.drawn.draw(Transport::name, options_.equation, draw);
    const Waves start = initial_waves(draw);
    for (std::size_t i = 0; i < times.size(); ++i) {
      const Waves now = transported(start, equation.along_x(), equation.along_y(), equation.diffusivity,
                                    options_.length, times[i]);
      sink(i, sample_waves(now, grid_));
    }
    return options_.drawn.scalars(equation);
  }

 private:
  GridSize grid_;
  Options options_;
};

}  // namespace cvf::systems
