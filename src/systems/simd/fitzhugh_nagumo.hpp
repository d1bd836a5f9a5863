// One step of the stabilised Runge-Kutta-Chebyshev method for the FitzHugh-Nagumo equations, as loops over
// raw pointers. Compiled for the baseline CPU and for AVX2 with the same bits; systems/fitzhugh_nagumo.cpp
// picks.
#pragma once

namespace cvf::systems {

// A field holds ny rows; a row holds u, then v, each `stride` doubles long. A row pointer points at the first
// cell of u, and has one mirrored ghost cell on both sides of each component.
struct FitzHughNagumoGrid {
  int ny, nx, stride;
  double uy, ux, vy, vx;  // Du / dy^2, Du / dx^2, Dv / dy^2, Dv / dx^2
  double k;
};

// Y_j = at_start Y_0 + at_one Y_{j-1} + at_two Y_{j-2} + slope_one F(Y_{j-1}) + slope_start F(Y_0); times h
// included.
struct ChebyshevStage {
  double at_start, at_one, at_two, slope_one, slope_start;
};

struct ChebyshevStep {
  FitzHughNagumoGrid grid;
  double h;
  int stages;
  const ChebyshevStage* stage;  // [stages + 1], the first unused; of the second only slope_start
  const double* state;          // Y_0 and its slope F(Y_0)
  const double* slope;
  double* next_state;  // Y_s and its slope
  double* next_slope;
  double* ring;     // three rows for each inner stage
  double* columns;  // [5][nx]: sums over y of error(u)^2, error(v)^2, u^2, v^2, and max over y of u^2
};

#define CVF_DECLARE_FITZHUGH_NAGUMO               \
  void chebyshev_step(const ChebyshevStep& step); \
  void evaluate_slope(const FitzHughNagumoGrid& grid, const double* state, double* slope);

namespace portable {
CVF_DECLARE_FITZHUGH_NAGUMO
}
#if defined(__x86_64__)
namespace avx2 {
CVF_DECLARE_FITZHUGH_NAGUMO
}
#endif
#undef CVF_DECLARE_FITZHUGH_NAGUMO

}  // namespace cvf::systems
