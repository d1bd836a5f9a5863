#include "systems/wave.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/errors.hpp"
#include "systems/grid.hpp"

namespace cvf::systems {
namespace {

constexpr double on_the_grid = 1e-9;  // of a step: times are sums of decimal numbers

// The largest of 1, 2, 5 times a power of ten that is below 95 % of the limit: steps that frames fall on.
double chosen_step(double limit) {
  const double most = 0.95 * limit;
  const double power = std::pow(10.0, std::floor(std::log10(most)));
  for (const double digit : {5.0, 2.0}) {
    if (digit * power <= most) return digit * power;
  }
  return power;
}

double checked_step(double wanted, double limit) {
  if (wanted == 0) return chosen_step(limit);
  if (wanted < limit) return wanted;
  throw ConfigError(
      "wave: dt = {} is unstable on this grid, it must be below {:.6g} (c dt sqrt(1/dx^2 + 1/dy^2) < 1); "
      "use a smaller dt, or 0 to have it chosen",
      wanted, limit);
}

// Distance to the nearest periodic image.
double nearest(double a, double b, double period) {
  return std::remainder(a - b, period);
}

}  // namespace

void Wave::Options::describe(config::Section& section) {
  section.key("c", &c, "speed of the waves", config::above(0));
  section.key("length", &length, "width of the periodic box", config::above(0));
  section.key("height", &height, "height of the box; 0: as its width", config::at_least(0));
  section.key("dt", &dt, "the solver's step; 0: the largest of 1, 2, 5 times a power of ten that is stable",
              config::at_least(0));
  section.key("sigma", &sigma, "range of the bumps' widths, [low, high]");
  section.key("max_count", &max_count, "the number of bumps is drawn from 1 .. max_count",
              config::between(1, 100));
}

Wave::Wave(GridSize grid, Options options) : grid_(grid), options_(std::move(options)) {
  if (grid.nx < 3 || grid.ny < 3) throw ConfigError("wave: the grid must be at least 3 x 3");
  const auto& sigma = options_.sigma;
  if (sigma.size() != 2 || !(sigma[0] > 0) || !(sigma[0] <= sigma[1])) {
    throw ConfigError("wave: sigma must be two positive numbers, [low, high]");
  }
  if (options_.height == 0) options_.height = options_.length;
  dx_ = options_.length / grid.nx;
  dy_ = options_.height / grid.ny;
  dt_ = checked_step(options_.dt, PeriodicWave::step_limit(dy_, dx_, options_.c));
}

StateSpec Wave::state() const {
  return state_of({"u", "v"}, {axis_of_cells("y", grid_.ny, 0, options_.height, Boundary::periodic),
                               axis_of_cells("x", grid_.nx, 0, options_.length, Boundary::periodic)});
}

std::vector<std::string> Wave::scalar_names() const {
  std::vector<std::string> out{"solver_steps", "solver_dt", "bumps"};
  for (int i = 0; i < options_.max_count; ++i) {
    for (const auto* what : {"x", "y", "sigma"}) out.push_back(fmt::format("bump{}_{}", i, what));
  }
  return out;
}

std::vector<Wave::Bump> Wave::draw_bumps(const Draw& draw) const {
  RandomStream random(draw.seed, fmt::format("wave attempt {}", draw.attempt), draw.sample);
  std::vector<Bump> out(1 + random.below(static_cast<std::uint64_t>(options_.max_count)));
  for (auto& bump : out) {
    bump.x = random.uniform(0, options_.length);
    bump.y = random.uniform(0, options_.height);
    bump.sigma = random.uniform(options_.sigma[0], options_.sigma[1]);
  }
  return out;
}

// u = sum of exp(-r^2 / (2 sigma^2)) with r to the nearest image, v = 0
std::vector<double> Wave::initial_state(std::span<const Bump> bumps) const {
  const auto xs = cell_centres(grid_.nx, 0, options_.length), ys = cell_centres(grid_.ny, 0, options_.height);
  std::vector<double> out(2 * xs.size() * ys.size(), 0.0);
  for (const auto& bump : bumps) {
    for (std::size_t j = 0; j < ys.size(); ++j) {
      for (std::size_t i = 0; i < xs.size(); ++i) {
        const double rx = nearest(xs[i], bump.x, options_.length),
                     ry = nearest(ys[j], bump.y, options_.height);
        out[j * xs.size() + i] += std::exp(-(rx * rx + ry * ry) / (2 * bump.sigma * bump.sigma));
      }
    }
  }
  return out;
}

Scalars Wave::simulate(const Draw& draw, std::span<const double> times, const FrameSink& sink) const {
  auto bumps = draw_bumps(draw);
  PeriodicWave wave(grid_, dy_, dx_, options_.c, initial_state(bumps));
  double steps = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double wanted = std::floor(times[i] / dt_ + on_the_grid);
    for (; steps < wanted; ++steps) wave.step(dt_);
    const double rest = times[i] - steps * dt_;
    if (rest > on_the_grid * dt_) {
      PeriodicWave aside = wave;
      aside.step(rest);
      sink(i, aside.planes());
    } else {
      sink(i, wave.planes());
    }
  }
  Scalars out{{"solver_steps", steps}, {"solver_dt", dt_}, {"bumps", static_cast<double>(bumps.size())}};
  bumps.resize(static_cast<std::size_t>(options_.max_count));  // those that were not drawn have width 0
  const auto names = scalar_names();
  for (const auto& bump : bumps) {
    for (const double value : {bump.x, bump.y, bump.sigma}) out.emplace_back(names[out.size()], value);
  }
  return out;
}

PeriodicWave::PeriodicWave(GridSize grid, double dy, double dx, double speed, std::span<const double> planes)
    : grid_(grid),
      x_factor_(speed * speed / (dx * dx)),
      y_factor_(speed * speed / (dy * dy)),
      planes_(planes.begin(), planes.end()),
      acceleration_(planes.size() / 2) {
  accelerate();
}

double PeriodicWave::step_limit(double dy, double dx, double speed) {
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
