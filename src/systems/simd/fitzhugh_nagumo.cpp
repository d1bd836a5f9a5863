// The stages of a step are not swept one after the other over the whole field: row r of stage j needs only
// rows r-1 .. r+1 of stage j-1, so all stages travel down the field together, each one row behind the one
// before it. What they pass on is three rows a stage and stays in the nearest cache; the field itself is read
// and written once a step.
#include "systems/simd/fitzhugh_nagumo.hpp"

namespace cvf::systems::CVF_SIMD {
namespace {

struct Neighbours {
  const double *above, *here, *below;  // at the edge `above` or `below` is `here`: no flux through the wall
};

// u_t = Du lap(u) + u - u^3 - k - v      v_t = Dv lap(v) + u - v
// The centre weight of the Laplacian and the linear reaction are one factor.
struct Rates {
  double ux, uy, vx, vy, u_centre, v_centre, k;
};

Rates rates_of(const FitzHughNagumoGrid& g) {
  return {g.ux, g.uy, g.vx, g.vy, 1 - 2 * (g.ux + g.uy), -1 - 2 * (g.vx + g.vy), g.k};
}

inline double u_slope(const Rates& c, const double* above, const double* u, const double* below, double v,
                      int x) {
  return (c.ux * (u[x - 1] + u[x + 1]) + c.uy * (above[x] + below[x])) +
         (u[x] * (c.u_centre - u[x] * u[x]) - (v + c.k));
}

inline double v_slope(const Rates& c, const double* above, const double* v, const double* below, double u,
                      int x) {
  return (c.vx * (v[x - 1] + v[x + 1]) + c.vy * (above[x] + below[x])) + (c.v_centre * v[x] + u);
}

inline void mirror_ends(double* row, int nx, int stride) {
  row[-1] = row[0];
  row[nx] = row[nx - 1];
  row[stride - 1] = row[stride];
  row[stride + nx] = row[stride + nx - 1];
}

// Y_1 = Y_0 + slope_start F(Y_0)
void first_row(const FitzHughNagumoGrid& g, double factor, const double* __restrict start,
               const double* __restrict slope, double* __restrict out) {
#pragma GCC ivdep
  for (int x = 0; x < g.nx; ++x) {
    out[x] = start[x] + factor * slope[x];
    out[g.stride + x] = start[g.stride + x] + factor * slope[g.stride + x];
  }
  mirror_ends(out, g.nx, g.stride);
}

void stage_row(const FitzHughNagumoGrid& g, const ChebyshevStage& s, const Neighbours& one,
               const double* __restrict two, const double* __restrict start, const double* __restrict slope,
               double* __restrict out) {
  const Rates c = rates_of(g);
  const int nx = g.nx, stride = g.stride;
  const double *u = one.here, *v = one.here + stride;
#pragma GCC ivdep
  for (int x = 0; x < nx; ++x) {
    const double fu = u_slope(c, one.above, u, one.below, v[x], x);
    out[x] = (s.at_start * start[x] + s.slope_start * slope[x]) + (s.at_one * u[x] + s.at_two * two[x]) +
             s.slope_one * fu;
  }
#pragma GCC ivdep
  for (int x = 0; x < nx; ++x) {
    const double fv = v_slope(c, one.above + stride, v, one.below + stride, u[x], x);
    out[stride + x] = (s.at_start * start[stride + x] + s.slope_start * slope[stride + x]) +
                      (s.at_one * v[x] + s.at_two * two[stride + x]) + s.slope_one * fv;
  }
  mirror_ends(out, nx, stride);
}

void slope_row(const FitzHughNagumoGrid& g, const Neighbours& n, double* __restrict out) {
  const Rates c = rates_of(g);
  const double *u = n.here, *v = n.here + g.stride;
#pragma GCC ivdep
  for (int x = 0; x < g.nx; ++x) out[x] = u_slope(c, n.above, u, n.below, v[x], x);
#pragma GCC ivdep
  for (int x = 0; x < g.nx; ++x) {
    out[g.stride + x] = v_slope(c, n.above + g.stride, v, n.below + g.stride, u[x], x);
  }
}

// error = 0.8 (y - y_next) + 0.4 h (F(y) + F(y_next))
inline double squared_error(double h, double y, double f, double y_next, double f_next) {
  const double error = 0.8 * (y - y_next) + 0.4 * h * (f + f_next);
  return error * error;
}

// Sums are kept for each column, so that vectors of any width add in the same order.
void last_u(const ChebyshevStep& s, const Neighbours& n, const double* __restrict start,
            const double* __restrict slope, double* __restrict out, double* __restrict error,
            double* __restrict square, double* __restrict largest) {
  const Rates c = rates_of(s.grid);
  const double *u = n.here, *v = n.here + s.grid.stride;
  const double h = s.h;
#pragma GCC ivdep
  for (int x = 0, nx = s.grid.nx; x < nx; ++x) {
    const double f = u_slope(c, n.above, u, n.below, v[x], x), u2 = u[x] * u[x];
    out[x] = f;
    error[x] += squared_error(h, start[x], slope[x], u[x], f);
    square[x] += u2;
    const double before = largest[x];
    largest[x] = u2 > before ? u2 : before;
  }
}

void last_v(const ChebyshevStep& s, const Neighbours& n, const double* __restrict start,
            const double* __restrict slope, double* __restrict out, double* __restrict error,
            double* __restrict square) {
  const Rates c = rates_of(s.grid);
  const int stride = s.grid.stride;
  const double *u = n.here, *v = n.here + stride;
  const double h = s.h;
#pragma GCC ivdep
  for (int x = 0, nx = s.grid.nx; x < nx; ++x) {
    const double f = v_slope(c, n.above + stride, v, n.below + stride, u[x], x);
    out[x] = f;
    error[x] += squared_error(h, start[x], slope[x], v[x], f);
    square[x] += v[x] * v[x];
  }
}

double* row_of(const ChebyshevStep& s, int stage, int r) {
  const long row = 2L * s.grid.stride;
  if (stage == 0) return const_cast<double*>(s.state) + r * row;  // only ever read
  if (stage == s.stages) return s.next_state + r * row;
  return s.ring + ((stage - 1) * 3 + r % 3) * row;
}

Neighbours neighbours_of(const ChebyshevStep& s, int stage, int r) {
  return {row_of(s, stage, r > 0 ? r - 1 : r), row_of(s, stage, r),
          row_of(s, stage, r + 1 < s.grid.ny ? r + 1 : r)};
}

void advance_row(const ChebyshevStep& s, int stage, int r) {
  const long at = 2L * s.grid.stride * r;
  const double *start = s.state + at, *slope = s.slope + at;
  if (stage == 1) {
    first_row(s.grid, s.stage[1].slope_start, start, slope, row_of(s, 1, r));
  } else if (stage <= s.stages) {
    stage_row(s.grid, s.stage[stage], neighbours_of(s, stage - 1, r), row_of(s, stage - 2, r), start, slope,
              row_of(s, stage, r));
  } else {
    const int nx = s.grid.nx, v = s.grid.stride;
    const Neighbours n = neighbours_of(s, s.stages, r);
    double *out = s.next_slope + at, *sums = s.columns;
    last_u(s, n, start, slope, out, sums, sums + 2 * nx, sums + 4 * nx);
    last_v(s, n, start + v, slope + v, out + v, sums + nx, sums + 3 * nx);
  }
}

}  // namespace

void chebyshev_step(const ChebyshevStep& step) {
  for (int i = 0; i < 5 * step.grid.nx; ++i) step.columns[i] = 0;
  for (int front = 1; front <= step.grid.ny + step.stages; ++front) {
    for (int stage = 1; stage <= step.stages + 1; ++stage) {
      const int r = front - stage;
      if (r >= 0 && r < step.grid.ny) advance_row(step, stage, r);
    }
  }
}

void evaluate_slope(const FitzHughNagumoGrid& grid, const double* state, double* slope) {
  const long row = 2L * grid.stride;
  for (int r = 0; r < grid.ny; ++r) {
    const double* here = state + r * row;
    slope_row(grid, {r > 0 ? here - row : here, here, r + 1 < grid.ny ? here + row : here}, slope + r * row);
  }
}

}  // namespace cvf::systems::CVF_SIMD
