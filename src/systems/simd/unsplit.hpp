// The unsplit MUSCL-Hancock step, row by row, for any set of equations in two dimensions.
//
// Predict:  w* = w - dt/2 (A w_x + B w_y) with limited slopes; the four face states are w* -+ half a slope.
// Flux:     one Riemann problem a face, F and G.
// Correct:  U' = U - (dt/dx (F_east - F_west) + dt/dy (G_north - G_south)).
//
// Second order with one Riemann problem a face. Rows are finished while they are still in the first cache,
// and every loop runs along x, so that both directions vectorise. The sums are written so that exchanging x
// and y exchanges equal terms: the scheme commutes with transposition bit by bit.
#pragma once

#include "systems/sweep.hpp"

namespace cvf::systems::CVF_SIMD {

// Small functions that compile to vector instructions: no branches, no library.

inline double smaller(double a, double b) {
  return a < b ? a : b;
}
inline double larger(double a, double b) {
  return a > b ? a : b;
}

/// Half the monotonised-central slope: 1/2 minmod(2 back, (back + ahead)/2, 2 ahead), without branches.
inline double half_slope(double back, double ahead) {
  const double quarter = 0.25 * (back + ahead);
  const double rise = larger(0.0, smaller(smaller(back, ahead), quarter));
  const double fall = smaller(0.0, larger(larger(back, ahead), quarter));
  return rise + fall;
}

/// One row of each component; index 0 is the first inner cell.
template <int Components>
struct Line {
  double* part[Components];

  Line moved(std::ptrdiff_t by) const {
    Line out;
    for (int c = 0; c < Components; ++c) out.part[c] = part[c] + by;
    return out;
  }
};

template <int Components>
struct Faces {
  Line<Components> west, east, south, north;
};

/// Row `j` of planes laid out as Sweep says; the constness of `state` is the caller's to respect.
template <int Components>
Line<Components> row(const Sweep& s, const double* planes, int j) {
  Line<Components> out;
  for (int c = 0; c < Components; ++c) {
    out.part[c] = const_cast<double*>(planes) + c * s.plane + (j + ghost) * s.stride + ghost;
  }
  return out;
}

/// Hands out lines of the scratch memory one after the other.
template <int Components>
struct ScratchLines {
  double* next_free;
  std::ptrdiff_t stride;

  Line<Components> take() {
    Line<Components> out;
    for (int c = 0; c < Components; ++c, next_free += stride) out.part[c] = next_free + ghost;
    return out;
  }
};

template <class T>
void exchange(T& a, T& b) {
  const T kept = a;
  a = b;
  b = kept;
}

/// Equations supply: components, predict(sweep, row, faces), flux(sweep, row, left, right, out, count,
/// along_x) and correct(sweep, row, flux_x, flux_south, flux_north).
template <class Equations>
void unsplit_step(const Sweep& s) {
  constexpr int components = Equations::components;
  ScratchLines<components> scratch{s.scratch, s.stride};
  Faces<components> faces{scratch.take(), scratch.take(), scratch.take(), scratch.take()};
  Line<components> north_below = scratch.take();
  Line<components> flux_x = scratch.take(), flux_x_below = scratch.take();
  Line<components> flux_north = scratch.take(), flux_south = scratch.take();
  for (int i = 0; i < s.nx; ++i) s.signal[i] = 0;

  for (int j = -1; j <= s.ny; ++j) {
    Equations::predict(s, j, faces);
    if (j >= 0 && j < s.ny) Equations::flux(s, j, faces.east.moved(-1), faces.west, flux_x, s.nx + 1, true);
    if (j >= 0) Equations::flux(s, j, north_below, faces.south, flux_north, s.nx, false);
    if (j >= 1) Equations::correct(s, j - 1, flux_x_below, flux_south, flux_north);
    exchange(faces.north, north_below);
    exchange(flux_x, flux_x_below);
    exchange(flux_north, flux_south);
  }
}

}  // namespace cvf::systems::CVF_SIMD
