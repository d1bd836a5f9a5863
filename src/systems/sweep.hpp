// What one time step of an unsplit finite-volume scheme needs: raw pointers and numbers only, because the
// files under simd/ that do the step are compiled once for every CPU and once for AVX2.
#pragma once

#include <cstddef>

namespace cvf::systems {

constexpr int ghost = 2;  // a limited slope in the first ghost cell looks one cell further

/// Constants of the fluid. The viscous stress on a face with normal n and tangent t is, with m = 1 or the
/// density,
///   tau_nn = m (normal d_n v_n + cross_normal d_t v_t),   tau_nt = m (shear d_n v_t + cross_shear d_t v_n).
struct Fluid {
  double gravity = 1;
  double gamma = 5.0 / 3;
  double normal = 0 /* 0: no viscosity */, shear = 0, cross_normal = 0, cross_shear = 0;
  bool times_density = false;  // the coefficients are kinematic viscosities: m is the density
};

/// One step from `state` to `next`, both primitive variables [component][ny + 4][stride] with two ghost cells
/// a side.
struct Sweep {
  const double* state;
  double* next;
  double*
      signal;  // [nx] out: largest rate of the column, dt * rate <= cfl is stable; infinite if a cell broke
  double* scratch;  // scratch_lines(components) * stride doubles
  int ny, nx;
  std::ptrdiff_t stride, plane;
  double dt, dy, dx;
  double slopes;  // 1; or 0 for a first-order step, the last resort where positivity is hard to keep
  Fluid fluid;
};

/// Rows of scratch: face states west and east of one row, and those north and south, fluxes x and y of two
/// rows.
constexpr int scratch_lines(int components) {
  return 10 * components;
}

using Step = void (*)(const Sweep&);

/// The fastest flavour that this CPU runs; all give the same bits.
Step flow_step();
Step shallow_step();
Step shallow_bottom_step();  // a fourth component is the height of the bottom

namespace portable {
void flow_step(const Sweep&);
void shallow_step(const Sweep&);
void shallow_bottom_step(const Sweep&);
}  // namespace portable
namespace avx2 {
void flow_step(const Sweep&);
void shallow_step(const Sweep&);
void shallow_bottom_step(const Sweep&);
}  // namespace avx2

}  // namespace cvf::systems
