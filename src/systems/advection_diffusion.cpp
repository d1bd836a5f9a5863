#include "systems/advection_diffusion.hpp"

#include <cmath>
#include <numbers>

#include "core/errors.hpp"

namespace cvf::systems {
namespace {

constexpr double two_pi = 2 * std::numbers::pi;

}  // namespace

Waves smooth_waves(bool line, int modes, double amplitude, RandomStream& random) {
  Waves out;
  double squares = 0;
  for (int j = line ? 0 : -modes; j <= (line ? 0 : modes); ++j) {
    for (int i = 0; i <= modes; ++i) {
      if (i == 0 && j <= 0) continue;  // the mean, and waves that are there with the other sign
      const double size = random.normal() / std::hypot(i, j), phase = random.uniform(0, two_pi);
      squares += 0.5 * size * size;
      out.push_back({i, j, size * std::cos(phase), size * std::sin(phase)});
    }
  }
  for (PlaneWave& wave : out) {
    wave.sine *= amplitude / std::sqrt(squares);
    wave.cosine *= amplitude / std::sqrt(squares);
  }
  return out;
}

// sin(k.(x - a t) + p): the phase of each wave falls by k.a t.
Waves transported(const Waves& waves, double along_x, double along_y, double diffusivity, double length,
                  double t) {
  Waves out = waves;
  for (PlaneWave& wave : out) {
    const double kx = two_pi * wave.i / length, ky = two_pi * wave.j / length;
    const double kept = std::exp(-diffusivity * (kx * kx + ky * ky) * t);
    const double turn = (kx * along_x + ky * along_y) * t, c = std::cos(turn), s = std::sin(turn);
    const double sine = wave.sine, cosine = wave.cosine;
    wave.sine = kept * (sine * c + cosine * s);
    wave.cosine = kept * (cosine * c - sine * s);
  }
  return out;
}

void check_transport(std::string_view name, GridSize grid, bool line) {
  const bool right = line ? grid.ny == 1 && grid.nx >= 4 : grid.nx >= 4 && grid.ny >= 4;
  if (!right) {
    throw ConfigError("{}: the grid is {} of at least 4 cells a side, not {} x {}", name,
                      line ? "a line" : "a box", grid.nx, grid.ny);
  }
}

}  // namespace cvf::systems
