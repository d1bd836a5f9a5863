// Shallow water for the unsplit step: primitive states (h, u, v), over a bottom also its height b, which
// stays; fluxes of (h, hu, hv).
//
// A bottom is continuous: on a face it is the mean of the two cells. Slopes are those of the surface h + b, a
// face's depth is surface minus bottom, and the push of the bottom on a cell is
//   -g (h_west + h_east)/2 (b_east - b_west)/dx,
// which balances the pressures g h^2/2 on its faces wherever the surface is level: a lake at rest stays so.
#include "systems/simd/unsplit.hpp"

namespace cvf::systems::CVF_SIMD {
namespace {

constexpr double dry = 1e-12;  // below this depth water does not move: hu / h would be noise

template <bool bottom>
struct Shallow {
  static constexpr int components = bottom ? 4 : 3;
  using Row = Line<components>;

  static void predict(const Sweep& s, int j, const Faces<components>& faces);
  static void flux(const Sweep& s, int j, const Row& left, const Row& right, const Row& out, int count,
                   bool along_x);
  static void correct(const Sweep& s, int j, const Row& flux_x, const Row& south, const Row& north);
};

// w_t = -(A w_x + B w_y), x part:  h: u h_x + h u_x;  u: u u_x + g (h + b)_x;  v: u v_x.
// A cell whose face states would lose a positive depth falls back to its mean value (first order there).
template <bool bottom>
void Shallow<bottom>::predict(const Sweep& s, int j, const Faces<components>& faces) {
  const Row w = row<components>(s, s.state, j), push = row<components>(s, s.next, j);
  const std::ptrdiff_t up = s.stride;
  const double over_dx = s.dt / s.dx, over_dy = s.dt / s.dy, gravity = s.fluid.gravity, slopes = s.slopes;
  const double *depth_row = w.part[0], *x_row = w.part[1], *y_row = w.part[2], *bed = w.part[components - 1];
  // How far the bottom rises from a cell to its face beside the cell `k`.
  const auto rise = [bed](std::ptrdiff_t i, std::ptrdiff_t k) {
    return bottom ? 0.5 * (bed[k] - bed[i]) : 0.0;
  };
#pragma GCC ivdep
  for (int i = -1; i <= s.nx; ++i) {
    const double h = depth_row[i], u = x_row[i], v = y_row[i];
    const double west = rise(i, i - 1), east = rise(i, i + 1);
    const double south = rise(i, i - up), north = rise(i, i + up);
    // half slopes; z: the surface
    double z_x = half_slope(h - depth_row[i - 1] - 2 * west, depth_row[i + 1] - h + 2 * east);
    double z_y = half_slope(h - depth_row[i - up] - 2 * south, depth_row[i + up] - h + 2 * north);
    double u_x = half_slope(u - x_row[i - 1], x_row[i + 1] - u);
    double u_y = half_slope(u - x_row[i - up], x_row[i + up] - u);
    double v_x = half_slope(v - y_row[i - 1], y_row[i + 1] - v);
    double v_y = half_slope(v - y_row[i - up], y_row[i + up] - v);
    const double h_x = z_x - 0.5 * (east - west), h_y = z_y - 0.5 * (north - south);

    const double h_t = over_dx * (u * h_x + h * u_x) + over_dy * (v * h_y + h * v_y);
    const double u_t = over_dx * (u * u_x + gravity * z_x) + over_dy * (v * u_y);
    const double v_t = over_dx * (u * v_x) + over_dy * (v * v_y + gravity * z_y);

    const double fall_x = __builtin_fabs(z_x) + larger(east, west),
                 fall_y = __builtin_fabs(z_y) + larger(north, south);
    const double least_depth = h - h_t - larger(fall_x, fall_y);
    const double keep = least_depth > dry ? slopes : 0.0;
    const double h_h = h - keep * h_t, u_h = u - keep * u_t, v_h = v - keep * v_t;
    z_x *= keep, z_y *= keep, u_x *= keep, u_y *= keep, v_x *= keep, v_y *= keep;

    faces.west.part[0][i] = h_h - z_x - west;
    faces.east.part[0][i] = h_h + z_x - east;
    faces.south.part[0][i] = h_h - z_y - south;
    faces.north.part[0][i] = h_h + z_y - north;
    faces.west.part[1][i] = u_h - u_x;
    faces.east.part[1][i] = u_h + u_x;
    faces.south.part[1][i] = u_h - u_y;
    faces.north.part[1][i] = u_h + u_y;
    faces.west.part[2][i] = v_h - v_x;
    faces.east.part[2][i] = v_h + v_x;
    faces.south.part[2][i] = v_h - v_y;
    faces.north.part[2][i] = v_h + v_y;
    if constexpr (bottom) {  // left where the next velocities go, for correct()
      push.part[1][i] = over_dx * gravity * (h_h - 0.5 * (west + east)) * (east - west);
      push.part[2][i] = over_dy * gravity * (h_h - 0.5 * (south + north)) * (north - south);
    }
  }
}

// HLL for depth and normal momentum, whose two waves it both sees; the tangential velocity rides on the mass
// flux (the contact of HLLC). Outer speeds from the two-rarefaction star state, or the front u +- 2c beside a
// dry bed:
//   u* = (u_L + u_R)/2 + c_L - c_R,   c* = (c_L + c_R)/2 + (u_L - u_R)/4.
template <bool bottom>
void Shallow<bottom>::flux(const Sweep& s, int, const Row& left, const Row& right, const Row& out, int count,
                           bool along_x) {
  const int n = along_x ? 1 : 2, t = along_x ? 2 : 1;
  const double gravity = s.fluid.gravity;
  const double *l_h = left.part[0], *l_n = left.part[n], *l_t = left.part[t];
  const double *r_h = right.part[0], *r_n = right.part[n], *r_t = right.part[t];
  double *mass = out.part[0], *along = out.part[n], *across = out.part[t];
#pragma GCC ivdep
  for (int i = 0; i < count; ++i) {
    const double h_l = l_h[i], h_r = r_h[i], u_l = l_n[i], u_r = r_n[i];
    const double c_l = __builtin_sqrt(gravity * h_l), c_r = __builtin_sqrt(gravity * h_r);
    const double u_star = 0.5 * (u_l + u_r) + (c_l - c_r), c_star = 0.5 * (c_l + c_r) + 0.25 * (u_l - u_r);
    const double slowest_wet = smaller(u_l - c_l, u_star - c_star),
                 fastest_wet = larger(u_r + c_r, u_star + c_star);
    const double slowest_any = h_l > dry ? (h_r > dry ? slowest_wet : u_l - c_l) : u_r - 2 * c_r;
    const double fastest_any = h_r > dry ? (h_l > dry ? fastest_wet : u_r + c_r) : u_l + 2 * c_l;
    const double slowest = smaller(0.0, slowest_any), fastest = larger(0.0, fastest_any);

    // F = (S_R F_L - S_L F_R + S_L S_R (U_R - U_L)) / (S_R - S_L), with S_L <= 0 <= S_R
    const double q_l = h_l * u_l, q_r = h_r * u_r;
    const double force_l = q_l * u_l + 0.5 * gravity * (h_l * h_l),
                 force_r = q_r * u_r + 0.5 * gravity * (h_r * h_r);
    const double per_width = 1 / larger(fastest - slowest, 1e-100);  // both sides dry: 0 * 1e100
    const double product = slowest * fastest;
    const double flow = ((fastest * q_l - slowest * q_r) + product * (h_r - h_l)) * per_width;
    mass[i] = flow;
    along[i] = ((fastest * force_l - slowest * force_r) + product * (q_r - q_l)) * per_width;
    across[i] = flow * (flow > 0 ? l_t[i] : r_t[i]);
  }
}

// rate = (|u| + c)/dx + (|v| + c)/dy; infinite where the depth is negative by more than round-off.
template <bool bottom>
void Shallow<bottom>::correct(const Sweep& s, int j, const Row& flux_x, const Row& south, const Row& north) {
  const Row w = row<components>(s, s.state, j), out = row<components>(s, s.next, j);
  const double over_dx = s.dt / s.dx, over_dy = s.dt / s.dy, per_dx = 1 / s.dx, per_dy = 1 / s.dy;
  const double gravity = s.fluid.gravity;
  double* signal = s.signal;
  const auto change = [&](int c, int i) {
    return over_dx * (flux_x.part[c][i + 1] - flux_x.part[c][i]) +
           over_dy * (north.part[c][i] - south.part[c][i]);
  };
  const auto push = [&](int c, int i) { return bottom ? out.part[c][i] : 0.0; };
#pragma GCC ivdep
  for (int i = 0; i < s.nx; ++i) {
    const double h_0 = w.part[0][i];
    const double h = h_0 - change(0, i);
    const double per_depth = h > dry ? 1 / h : 0.0;
    const double u = (h_0 * w.part[1][i] - change(1, i) - push(1, i)) * per_depth;
    const double v = (h_0 * w.part[2][i] - change(2, i) - push(2, i)) * per_depth;
    const double depth = larger(h, 0.0);
    out.part[0][i] = depth;
    out.part[1][i] = u;
    out.part[2][i] = v;
    if constexpr (bottom) out.part[3][i] = w.part[3][i];

    const double speed = __builtin_sqrt(gravity * depth);
    const double rate = (__builtin_fabs(u) + speed) * per_dx + (__builtin_fabs(v) + speed) * per_dy;
    const double broken = __builtin_inf(),
                 finite_rate = smaller(rate, broken);  // not a number becomes infinite too
    signal[i] = larger(signal[i], h >= -1e-15 ? finite_rate : broken);
  }
}

}  // namespace

void shallow_step(const Sweep& s) {
  unsplit_step<Shallow<false>>(s);
}

void shallow_bottom_step(const Sweep& s) {
  unsplit_step<Shallow<true>>(s);
}

}  // namespace cvf::systems::CVF_SIMD
