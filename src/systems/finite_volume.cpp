#include "systems/finite_volume.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/errors.hpp"
#include "systems/cpu.hpp"
#include "systems/sweep.hpp"

namespace cvf::systems {

FiniteVolume::FiniteVolume(const FiniteVolumeSetup& setup)
    : setup_(setup), stride_(setup.grid.nx + 2 * ghost), plane_(stride_ * (setup.grid.ny + 2 * ghost)) {
  if (setup.grid.nx < ghost || setup.grid.ny < ghost) {
    throw ConfigError("grid {} x {}: a finite-volume system needs at least {} cells a side", setup.grid.nx,
                      setup.grid.ny, ghost);
  }
  state_.resize(static_cast<std::size_t>(setup.components * plane_));
  next_ = state_;
  signal_.resize(static_cast<std::size_t>(setup.grid.nx));
  scratch_.resize(static_cast<std::size_t>(scratch_lines(setup.components) * stride_));
}

std::size_t FiniteVolume::index(int component, int j, int i) const {
  return static_cast<std::size_t>(component * plane_ + (j + ghost) * stride_ + i + ghost);
}

void FiniteVolume::start(std::span<const double> planes) {
  const auto [ny, nx] = setup_.grid;
  for (int c = 0; c < setup_.components; ++c) {
    for (int j = 0; j < ny; ++j) {
      const auto row = planes.begin() + (static_cast<std::ptrdiff_t>(c) * ny + j) * nx;
      std::copy_n(row, nx, state_.begin() + static_cast<std::ptrdiff_t>(index(c, j, 0)));
    }
  }
  time_ = smallest_dt_ = 0;
  steps_ = rejected_ = 0;
  failed_ = false;
  rate_ = try_step(0);  // a step of length 0 only measures the signal speeds
  if (!std::isfinite(rate_)) fail();
}

void FiniteVolume::copy_planes(std::span<double> planes) const {
  auto out = planes.begin();
  for (int c = 0; c < setup_.components; ++c) {
    for (int j = 0; j < setup_.grid.ny; ++j) out = std::ranges::copy(row(c, j), out).out;
  }
}

void FiniteVolume::fill_ghosts() {
  const auto [ny, nx] = setup_.grid;
  const auto source = [this](int k, int count) {
    return setup_.edge == Edge::periodic ? (k + count) % count : std::clamp(k, 0, count - 1);
  };
  for (int c = 0; c < setup_.components; ++c) {
    for (int j = 0; j < ny; ++j) {
      for (const int i : {-2, -1, nx, nx + 1}) state_[index(c, j, i)] = state_[index(c, j, source(i, nx))];
    }
    for (const int j : {-2, -1, ny, ny + 1}) {
      const auto from = state_.begin() + static_cast<std::ptrdiff_t>(index(c, source(j, ny), -ghost));
      std::copy_n(from, stride_, state_.begin() + static_cast<std::ptrdiff_t>(index(c, j, -ghost)));
    }
  }
}

/// Computes next_ from state_ and returns the largest rate in it: infinite if the step broke a cell.
double FiniteVolume::try_step(double dt, bool first_order) {
  fill_ghosts();
  const auto [ny, nx] = setup_.grid;
  setup_.step({state_.data(), next_.data(), signal_.data(), scratch_.data(), ny, nx, stride_, plane_, dt,
               setup_.length_y / ny, setup_.length_x / nx, first_order ? 0.0 : 1.0, setup_.fluid});
  return *std::max_element(signal_.begin(), signal_.end());
}

void FiniteVolume::keep_step(double dt, double rate) {
  std::swap(state_, next_);
  rate_ = rate;
  smallest_dt_ = steps_ == 0 ? dt : std::min(smallest_dt_, dt);
  ++steps_;
}

void FiniteVolume::fail() {
  failed_ = true;
  std::fill(state_.begin(), state_.end(), std::numeric_limits<double>::quiet_NaN());
}

// dt = what is left to the wanted time, in equal steps no longer than cfl / rate: no sliver of a step at the
// end. A step that leaves a cell without positive density is done again with half its length.
void FiniteVolume::advance_to(double time) {
  constexpr int most_halvings = 10;
  constexpr double most_pieces = 1e6;  // far beyond any honest frame: the solution is blowing up
  int halvings = 0;
  while (time_ < time && !failed_) {
    const double left = time - time_, longest = setup_.cfl / rate_;
    const double pieces = std::max(1.0, std::ceil(left / longest)) * std::exp2(halvings);
    if (pieces > most_pieces) {
      fail();
      break;
    }
    const double dt = left / pieces;
    const double rate = try_step(dt, halvings > 1);
    if (std::isfinite(rate)) {
      keep_step(dt, rate);
      time_ = pieces == 1 ? time : time_ + dt;
      halvings = 0;
    } else if (++rejected_; ++halvings > most_halvings) {
      fail();
    }
  }
  time_ = time;
}

void run_frames(FiniteVolume& solver, std::span<const double> initial, std::span<const double> times,
                int channels, const std::function<void(const FiniteVolume&, std::span<double>)>& write_frame,
                const FrameSink& sink) {
  solver.start(initial);
  const std::size_t cells = initial.size() / static_cast<std::size_t>(solver.components());
  std::vector<double> planes(cells * static_cast<std::size_t>(channels));
  for (std::size_t frame = 0; frame < times.size(); ++frame) {
    solver.advance_to(times[frame]);
    write_frame(solver, planes);
    sink(frame, planes);
  }
}

#if defined(__x86_64__)
#define CVF_FASTEST(step) (cpu_has_avx2() ? avx2::step : portable::step)
#else
#define CVF_FASTEST(step) portable::step
#endif

Step flow_step() {
  return CVF_FASTEST(flow_step);
}

Step shallow_step() {
  return CVF_FASTEST(shallow_step);
}

Step shallow_bottom_step() {
  return CVF_FASTEST(shallow_bottom_step);
}

#undef CVF_FASTEST

}  // namespace cvf::systems
