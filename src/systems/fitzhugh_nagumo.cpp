#include "systems/fitzhugh_nagumo.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/errors.hpp"
#include "systems/chebyshev.hpp"
#include "systems/cpu.hpp"

namespace cvf::systems {
namespace {

constexpr int margin = 8;  // doubles before the first cell: one ghost, and rows that begin on a cache line
constexpr int most_stages = 100;  // keeps the growth of round-off inside a step far below any tolerance
constexpr double most_step = 1;   // the time scale of the reaction

double mean_of_column_sums(std::span<const double> sums, int ny) {
  double total = 0;
  for (const double sum : sums) total += sum;
  return total / (static_cast<double>(sums.size()) * ny);
}

}  // namespace

Flavour best_flavour() {
  return cpu_has_avx2() ? Flavour::avx2 : Flavour::portable;
}

FitzHughNagumoKernels kernels_of([[maybe_unused]] Flavour flavour) {
#if defined(__x86_64__)
  if (flavour == Flavour::avx2) return {avx2::chebyshev_step, avx2::evaluate_slope};
#endif
  return {portable::chebyshev_step, portable::evaluate_slope};
}

FitzHughNagumoSolver::FitzHughNagumoSolver(const FitzHughNagumo& equation, GridSize grid, double dy,
                                           double dx, Flavour flavour)
    : equation_(equation), kernels_(kernels_of(flavour)) {
  const int stride = (grid.nx + margin - 1) / margin * margin + 2 * margin;
  const double per_x = 1 / (dx * dx), per_y = 1 / (dy * dy);
  grid_ = {grid.ny,
           grid.nx,
           stride,
           equation.du * per_y,
           equation.du * per_x,
           equation.dv * per_y,
           equation.dv * per_x,
           equation.k};
  const auto row = 2 * static_cast<std::size_t>(stride);
  for (auto* field : {&state_, &slope_, &next_state_, &next_slope_}) field->resize(row * grid.ny);
  columns_.resize(5 * static_cast<std::size_t>(grid.nx));
}

void FitzHughNagumoSolver::load(std::span<const double> planes) {
  const int nx = grid_.nx, ny = grid_.ny;
  now_ = {};
  for (int part = 0; part < 2; ++part) {
    for (int r = 0; r < ny; ++r) {
      const double* from = planes.data() + (static_cast<long>(part) * ny + r) * nx;
      double* to = state_.data() + (2L * r + part) * grid_.stride + margin;
      std::copy(from, from + nx, to);
      to[-1] = to[0];
      to[nx] = to[nx - 1];
      for (int x = 0; x < nx; ++x) {
        now_.square[part] += from[x] * from[x] / (static_cast<double>(nx) * ny);
        if (part == 0) now_.largest_square = std::max(now_.largest_square, from[x] * from[x]);
      }
    }
  }
  kernels_.slope(grid_, &state_[margin], &slope_[margin]);
}

// Gershgorin's bound, from the Laplacian's largest eigenvalue and the reaction's rates 1 - 3 u^2 and -1
// beside the couplings of size 1. A tenth more, for u may grow within the step.
double FitzHughNagumoSolver::spectral_radius() const {
  const double u_rate = 4 * (grid_.ux + grid_.uy) + 3 * now_.largest_square + 1;
  const double v_rate = 4 * (grid_.vx + grid_.vy) + 1;
  return 1.1 * (std::max(u_rate, v_rate) + 1);
}

double FitzHughNagumoSolver::longest_step() const {
  return std::min(most_step, (std::pow(most_stages - 1, 2) - 1) / (1.54 * spectral_radius()));
}

// Short against the fastest rate; if that is too careful, step control grows it fivefold at a time.
double FitzHughNagumoSolver::first_step() const {
  return 0.01 / spectral_radius();
}

double FitzHughNagumoSolver::attempt(double h, StepCounts& counts) {
  const int stages = chebyshev_stages(h * spectral_radius());
  const auto coefficients = chebyshev_coefficients(stages, h);
  ring_.resize(std::max<std::size_t>(ring_.size(), 6UL * grid_.stride * stages));
  kernels_.step({.grid = grid_,
                 .h = h,
                 .stages = stages,
                 .stage = coefficients.data(),
                 .state = &state_[margin],
                 .slope = &slope_[margin],
                 .next_state = &next_state_[margin],
                 .next_slope = &next_slope_[margin],
                 .ring = &ring_[margin],
                 .columns = columns_.data()});
  counts.evaluations += stages;
  return error_in_tolerances();
}

double FitzHughNagumoSolver::error_in_tolerances() {
  const std::size_t nx = static_cast<std::size_t>(grid_.nx);
  const std::span<const double> columns(columns_);
  double total = 0;
  for (std::size_t part = 0; part < 2; ++part) {
    next_.error[part] = mean_of_column_sums(columns.subspan(part * nx, nx), grid_.ny);
    next_.square[part] = mean_of_column_sums(columns.subspan((2 + part) * nx, nx), grid_.ny);
    const double size = std::sqrt(std::max(now_.square[part], next_.square[part]));
    const double tolerance = equation_.atol + equation_.rtol * size;
    total += 0.5 * next_.error[part] / (tolerance * tolerance);
  }
  const auto largest = columns.subspan(4 * nx, nx);
  next_.largest_square = *std::max_element(largest.begin(), largest.end());
  return std::sqrt(total);
}

void FitzHughNagumoSolver::keep() {
  state_.swap(next_state_);
  slope_.swap(next_slope_);
  now_ = next_;
}

// y(t + p h) = (1-p)^2 (1+2p) y_0 + p^2 (3-2p) y_1 + p (1-p)^2 h F_0 - p^2 (1-p) h F_1
void FitzHughNagumoSolver::interpolate(double h, double p, std::span<double> planes) const {
  const double q = 1 - p;
  const double y0 = q * q * (1 + 2 * p), y1 = p * p * (3 - 2 * p), f0 = p * q * q * h, f1 = -p * p * q * h;
  for (int part = 0; part < 2; ++part) {
    for (int r = 0; r < grid_.ny; ++r) {
      const long at = (2L * r + part) * grid_.stride + margin;
      const double *state = &state_[at], *next = &next_state_[at], *slope = &slope_[at],
                   *next_slope = &next_slope_[at];
      double* out = planes.data() + (static_cast<long>(part) * grid_.ny + r) * grid_.nx;
      for (int x = 0; x < grid_.nx; ++x) {
        out[x] = (y0 * state[x] + y1 * next[x]) + (f0 * slope[x] + f1 * next_slope[x]);
      }
    }
  }
}

StepCounts FitzHughNagumoSolver::run(std::span<const double> planes, std::span<const double> times,
                                     const FrameSink& sink) {
  load(planes);
  std::vector<double> frame(planes.size());
  StepCounts counts;
  StepControl control;
  double t = 0, h = first_step();
  for (std::size_t i = 0; i < times.size(); h = std::min(control.next(), longest_step())) {
    if (!(t + h > t)) throw NumericsError("diffusion_reaction: the state blows up at time {}", t);
    if (!control.judge(h, attempt(h, counts))) {
      ++counts.rejected;
      continue;
    }
    for (; i < times.size() && times[i] <= t + h; ++i) {
      interpolate(h, (times[i] - t) / h, frame);
      sink(i, frame);
    }
    keep();
    t += h;
    ++counts.kept;
  }
  return counts;
}

std::vector<double> FitzHughNagumoSolver::slope(std::span<const double> planes) {
  load(planes);
  std::vector<double> out(planes.size());
  for (int part = 0; part < 2; ++part) {
    for (int r = 0; r < grid_.ny; ++r) {
      const double* from = &slope_[(2L * r + part) * grid_.stride + margin];
      std::copy(from, from + grid_.nx, out.data() + (static_cast<long>(part) * grid_.ny + r) * grid_.nx);
    }
  }
  return out;
}

}  // namespace cvf::systems
