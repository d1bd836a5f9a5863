#include "systems/periodic_wave.hpp"

#include <cmath>

namespace cvf::systems {

PeriodicWave::PeriodicWave(GridSize grid, double dx, double dy, double speed, std::span<const double> planes)
    : grid_(grid),
      x_factor_(speed * speed / (dx * dx)),
      y_factor_(speed * speed / (dy * dy)),
      planes_(planes.begin(), planes.end()),
      acceleration_(planes.size() / 2) {
  accelerate();
}

double PeriodicWave::step_limit(double dx, double dy, double speed) {
  return 1 / (speed * std::sqrt(1 / (dx * dx) + 1 / (dy * dy)));
}

void PeriodicWave::accelerate() {
  const int nx = grid_.nx, ny = grid_.ny;
  const double centre = 2 * (x_factor_ + y_factor_);
  for (int y = 0; y < ny; ++y) {
    const double* here = planes_.data() + static_cast<long>(y) * nx;
    const double* above = planes_.data() + static_cast<long>((y + ny - 1) % ny) * nx;
    const double* below = planes_.data() + static_cast<long>((y + 1) % ny) * nx;
    double* out = acceleration_.data() + static_cast<long>(y) * nx;
    const auto at = [&](int x, int left, int right) {
      out[x] =
          (x_factor_ * (here[left] + here[right]) + y_factor_ * (above[x] + below[x])) - centre * here[x];
    };
    at(0, nx - 1, 1 % nx);
    for (int x = 1; x < nx - 1; ++x) at(x, x - 1, x + 1);
    if (nx > 1) at(nx - 1, nx - 2, 0);
  }
}

void PeriodicWave::step(double dt) {
  const std::size_t cells = acceleration_.size();
  double *u = planes_.data(), *v = u + cells;
  const double* a = acceleration_.data();
  for (std::size_t i = 0; i < cells; ++i) {
    v[i] += 0.5 * dt * a[i];
    u[i] += dt * v[i];
  }
  accelerate();
  for (std::size_t i = 0; i < cells; ++i) v[i] += 0.5 * dt * a[i];
}

}  // namespace cvf::systems
