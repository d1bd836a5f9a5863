#include "systems/burgers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "systems/grid.hpp"

namespace cvf::systems {
namespace {

double limited_slope(double left, double right) {
  if (left * right <= 0) return 0;
  const double central = 0.5 * (left + right);
  return std::copysign(std::min({2 * std::abs(left), 2 * std::abs(right), std::abs(central)}), central);
}

// The flux of the exact solution of the jump from `left` to `right`.
double godunov(double left, double right) {
  const double rising = std::max(left, 0.0), falling = std::min(right, 0.0);
  return 0.5 * std::max(rising * rising, falling * falling);
}

// du/dt of cell averages.
class Rates {
 public:
  Rates(std::size_t cells, double dx, double viscosity)
      : slopes_(cells), fluxes_(cells), dx_(dx), viscosity_(viscosity) {}

  void operator()(const std::vector<double>& u, std::vector<double>& out) {
    const std::size_t n = u.size();
    const auto after = [n](std::size_t i) { return i + 1 == n ? 0 : i + 1; };
    const auto before = [n](std::size_t i) { return i == 0 ? n - 1 : i - 1; };
    for (std::size_t i = 0; i < n; ++i) slopes_[i] = limited_slope(u[i] - u[before(i)], u[after(i)] - u[i]);
    for (std::size_t i = 0; i < n; ++i) {  // through the side between i and the next
      const std::size_t j = after(i);
      fluxes_[i] =
          godunov(u[i] + 0.5 * slopes_[i], u[j] - 0.5 * slopes_[j]) - viscosity_ * (u[j] - u[i]) / dx_;
    }
    for (std::size_t i = 0; i < n; ++i) out[i] = (fluxes_[before(i)] - fluxes_[i]) / dx_;
  }

 private:
  std::vector<double> slopes_, fluxes_;
  double dx_, viscosity_;
};

void step(Rates& rates, double dt, std::vector<double>& u, std::vector<double>& stage,
          std::vector<double>& rate) {
  const std::size_t n = u.size();
  rates(u, rate);
  for (std::size_t i = 0; i < n; ++i) stage[i] = u[i] + dt * rate[i];
  rates(stage, rate);
  for (std::size_t i = 0; i < n; ++i) stage[i] = 0.75 * u[i] + 0.25 * (stage[i] + dt * rate[i]);
  rates(stage, rate);
  for (std::size_t i = 0; i < n; ++i) u[i] = (u[i] + 2 * (stage[i] + dt * rate[i])) / 3;
}

}  // namespace

void Burgers::Options::describe(config::Section& section) {
  section.key("viscosity", &viscosity, "nu; 0: shocks as thin as the grid", config::at_least(0));
  section.key("length", &length, "of the periodic line", config::above(0));
  section.key("modes", &modes, "sines in an initial state: of wave number 1 .. modes",
              config::between(1, 1000));
  section.key("amplitude", &amplitude, "root mean square of an initial state about its mean",
              config::above(0));
  section.key("mean", &mean, "the mean is drawn from -mean .. mean", config::at_least(0));
  section.key("cfl", &cfl, "step over the largest stable one", config::between(0.01, 1));
}

Burgers::Burgers(GridSize grid, const Options& options)
    : grid_(grid), options_(options), dx_(options.length / grid.nx) {
  if (grid.ny != 1 || grid.nx < 4) {
    throw ConfigError("burgers: the grid is a line of 4 cells or more, e.g. 128, not {} x {}", grid.nx,
                      grid.ny);
  }
  if (2 * options.modes > grid.nx) {
    throw ConfigError("burgers: {} cells do not resolve modes = {}: at most {} would fit", grid.nx,
                      options.modes, grid.nx / 2);
  }
}

StateSpec Burgers::state() const {
  return state_of({"u"}, {axis_of_cells("x", grid_.nx, 0, options_.length, Boundary::periodic)});
}

// The average of sin(k x + p) over a cell is its value at the centre times sin(k dx/2)/(k dx/2).
std::vector<double> Burgers::initial_state(const Draw& draw) const {
  RandomStream random(draw.seed, fmt::format("burgers attempt {}", draw.attempt), draw.sample);
  const auto xs = cell_centres(grid_.nx, 0, options_.length);
  std::vector<double> out(xs.size(), 0.0);
  const double mean = random.uniform(-options_.mean, options_.mean);
  double squares = 0;
  for (int mode = 1; mode <= options_.modes; ++mode) {
    const double size = random.normal() / mode, phase = random.uniform(0, 2 * std::numbers::pi);
    const double k = 2 * std::numbers::pi * mode / options_.length, half = 0.5 * k * dx_;
    squares += 0.5 * size * size;
    for (std::size_t i = 0; i < xs.size(); ++i)
      out[i] += size * std::sin(half) / half * std::sin(k * xs[i] + phase);
  }
  const double scale = options_.amplitude / std::sqrt(squares);
  for (double& value : out) value = mean + scale * value;
  return out;
}

double Burgers::follow(std::vector<double> state, std::span<const double> times,
                       const FrameSink& sink) const {
  Rates rates(state.size(), dx_, options_.viscosity);
  std::vector<double> stage(state.size()), rate(state.size());
  double fastest = 0;
  for (const double value : state) fastest = std::max(fastest, std::abs(value));
  const double longest = options_.cfl / (fastest / dx_ + 2 * options_.viscosity / (dx_ * dx_) + 1e-300);
  if (!std::isfinite(fastest)) throw NumericsError("burgers: the initial state is not finite");
  double now = 0, steps = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double count = std::ceil((times[i] - now) / longest), dt = (times[i] - now) / count;
    for (double k = 0; k < count; ++k) step(rates, dt, state, stage, rate);
    steps += count;
    now = times[i];
    sink(i, state);
  }
  return steps;
}

Scalars Burgers::simulate(const Draw& draw, std::span<const double> times, const FrameSink& sink) const {
  const auto state = initial_state(draw);
  double mean = 0, squares = 0;
  for (const double value : state) mean += value / static_cast<double>(state.size());
  for (const double value : state) squares += (value - mean) * (value - mean);
  const double steps = follow(state, times, sink);
  return {{"solver_steps", steps},
          {"mean", mean},
          {"rms", std::sqrt(squares / static_cast<double>(state.size()))}};
}

bool Burgers::flow(std::span<const double> state, std::span<const double> times,
                   const FrameSink& sink) const {
  follow({state.begin(), state.end()}, times, sink);
  return true;
}

}  // namespace cvf::systems
