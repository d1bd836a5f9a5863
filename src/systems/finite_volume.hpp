// Carries a two-dimensional state through time with the unsplit step of sweep.hpp: ghost cells, step sizes,
// retries. Knows no equations; those are in the Step that it is given.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "systems/sweep.hpp"
#include "systems/system.hpp"

namespace cvf::systems {

enum class Edge { periodic, outflow };

struct FiniteVolumeSetup {
  Step step = nullptr;
  int components = 0;
  GridSize grid;
  double length_x = 1, length_y = 1;
  Edge edge = Edge::periodic;
  double cfl = 0.8;
  Fluid fluid;
};

class FiniteVolume {
 public:
  explicit FiniteVolume(const FiniteVolumeSetup& setup);

  /// Starts again at time 0 from primitive planes [component][ny][nx].
  void start(std::span<const double> planes);

  /// Integrates to `time`, which is hit exactly. After a failure the state is not a number.
  void advance_to(double time);

  int components() const { return setup_.components; }
  double time() const { return time_; }
  double cell(int component, int j, int i) const { return state_[index(component, j, i)]; }
  std::span<const double> row(int component, int j) const {
    return std::span(state_).subspan(index(component, j, 0), static_cast<std::size_t>(setup_.grid.nx));
  }
  void copy_planes(std::span<double> planes) const;  // primitive, [component][ny][nx]

  std::int64_t steps() const { return steps_; }
  std::int64_t rejected() const { return rejected_; }  // steps that broke positivity and were halved
  double smallest_dt() const { return smallest_dt_; }  // 0 before the first step
  bool failed() const { return failed_; }

 private:
  std::size_t index(int component, int j, int i) const;
  void fill_ghosts();
  double try_step(double dt, bool first_order = false);
  void keep_step(double dt, double rate);
  void fail();

  FiniteVolumeSetup setup_;
  std::ptrdiff_t stride_, plane_;
  std::vector<double> state_, next_, signal_, scratch_;
  double time_ = 0, rate_ = 0, smallest_dt_ = 0;
  std::int64_t steps_ = 0, rejected_ = 0;
  bool failed_ = false;
};

/// What simulate() has in common: start, advance from frame to frame, hand `write_frame`d planes to the sink.
/// Frames after a failure are not a number, which tells the caller to draw again.
void run_frames(FiniteVolume& solver, std::span<const double> initial, std::span<const double> times,
                int channels, const std::function<void(const FiniteVolume&, std::span<double>)>& write_frame,
                const FrameSink& sink);

}  // namespace cvf::systems
