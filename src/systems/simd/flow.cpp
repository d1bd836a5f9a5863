// Compressible Navier-Stokes for the unsplit step: primitive states (density, pressure, Vx, Vy); fluxes in
// the same order (mass, energy, momentum x, momentum y).
#include "systems/simd/hllc.hpp"
#include "systems/simd/unsplit.hpp"

namespace cvf::systems::CVF_SIMD {
namespace {

constexpr int density = 0, pressure = 1, velocity_x = 2, velocity_y = 3;

struct Flow {
  static constexpr int components = 4;
  using Row = Line<components>;

  static void predict(const Sweep& s, int j, const Faces<components>& faces);
  static void flux(const Sweep& s, int j, const Row& left, const Row& right, const Row& out, int count,
                   bool along_x);
  static void correct(const Sweep& s, int j, const Row& flux_x, const Row& south, const Row& north);
};

// w_t = -(A w_x + B w_y), x part:  rho: u rho_x + rho u_x;  p: u p_x + gamma p u_x;  u: u u_x + p_x / rho; v:
// u v_x. A cell whose face states would lose positive density or pressure falls back to its mean value (first
// order there).
void Flow::predict(const Sweep& s, int j, const Faces<components>& faces) {
  const Row w = row<components>(s, s.state, j);
  const std::ptrdiff_t up = s.stride;
  const double over_dx = s.dt / s.dx, over_dy = s.dt / s.dy, gamma = s.fluid.gamma;
  const double half_gamma_minus_1 = 0.5 * (gamma - 1), slopes = s.slopes;
  const double *density_row = w.part[0], *pressure_row = w.part[1], *x_row = w.part[2], *y_row = w.part[3];
#pragma GCC ivdep
  for (int i = -1; i <= s.nx; ++i) {
    const double rho = density_row[i], p = pressure_row[i], u = x_row[i], v = y_row[i];
    double rho_x = half_slope(rho - density_row[i - 1], density_row[i + 1] - rho);
    double rho_y = half_slope(rho - density_row[i - up], density_row[i + up] - rho);
    double p_x = half_slope(p - pressure_row[i - 1], pressure_row[i + 1] - p);
    double p_y = half_slope(p - pressure_row[i - up], pressure_row[i + up] - p);
    double u_x = half_slope(u - x_row[i - 1], x_row[i + 1] - u);
    double u_y = half_slope(u - x_row[i - up], x_row[i + up] - u);
    double v_x = half_slope(v - y_row[i - 1], y_row[i + 1] - v);
    double v_y = half_slope(v - y_row[i - up], y_row[i + up] - v);

    const double per_density = 1 / rho;
    double rho_t = over_dx * (u * rho_x + rho * u_x) + over_dy * (v * rho_y + rho * v_y);
    double p_t = over_dx * (u * p_x + gamma * p * u_x) + over_dy * (v * p_y + gamma * p * v_y);
    double u_t = over_dx * (u * u_x + p_x * per_density) + over_dy * (v * u_y);
    double v_t = over_dx * (u * v_x) + over_dy * (v * v_y + p_y * per_density);

    const double least_density = rho - rho_t - larger(__builtin_fabs(rho_x), __builtin_fabs(rho_y));
    const double spread = half_gamma_minus_1 * rho * ((u_x * u_x + v_y * v_y) + (u_y * u_y + v_x * v_x));
    const double least_pressure = p - p_t - larger(__builtin_fabs(p_x), __builtin_fabs(p_y)) - spread;
    const double keep = least_density > 0 ? (least_pressure > 0 ? slopes : 0.0) : 0.0;
    const double rho_h = rho - keep * rho_t, p_h = p - keep * p_t, u_h = u - keep * u_t, v_h = v - keep * v_t;
    rho_x *= keep, rho_y *= keep, p_x *= keep, p_y *= keep;
    u_x *= keep, u_y *= keep, v_x *= keep, v_y *= keep;

    faces.west.part[density][i] = rho_h - rho_x;
    faces.east.part[density][i] = rho_h + rho_x;
    faces.south.part[density][i] = rho_h - rho_y;
    faces.north.part[density][i] = rho_h + rho_y;
    faces.west.part[pressure][i] = p_h - p_x;
    faces.east.part[pressure][i] = p_h + p_x;
    faces.south.part[pressure][i] = p_h - p_y;
    faces.north.part[pressure][i] = p_h + p_y;
    faces.west.part[velocity_x][i] = u_h - u_x;
    faces.east.part[velocity_x][i] = u_h + u_x;
    faces.south.part[velocity_x][i] = u_h - u_y;
    faces.north.part[velocity_x][i] = u_h + u_y;
    faces.west.part[velocity_y][i] = v_h - v_x;
    faces.east.part[velocity_y][i] = v_h + v_x;
    faces.south.part[velocity_y][i] = v_h - v_y;
    faces.north.part[velocity_y][i] = v_h + v_y;
  }
}

// Subtracts the viscous stress and its work, from central differences of the state before the step. Forward
// Euler is enough: the step obeys dt <= C dx^2 / nu, so its error, of order nu dt, is of order dx^2.
void subtract_stress(const Sweep& s, int j, const Flow::Row& out, int count, bool along_x) {
  const Flow::Row w = row<4>(s, s.state, j);
  const std::ptrdiff_t back = along_x ? 1 : s.stride, side = along_x ? s.stride : 1;
  const double per_normal = 1 / (along_x ? s.dx : s.dy), per_side = 0.25 / (along_x ? s.dy : s.dx);
  const double* rho = w.part[density];
  const double* normal = w.part[along_x ? velocity_x : velocity_y];
  const double* tangent = w.part[along_x ? velocity_y : velocity_x];
  double* energy = out.part[pressure];
  double* momentum = out.part[along_x ? velocity_x : velocity_y];
  double* transverse = out.part[along_x ? velocity_y : velocity_x];
  const Fluid fluid = s.fluid;
  const double weight_of_density = fluid.times_density ? 0.5 : 0.0,
               weight_of_one = fluid.times_density ? 0.0 : 1.0;
#pragma GCC ivdep
  for (int i = 0; i < count; ++i) {
    const double* n = normal + i;
    const double* t = tangent + i;
    const double n_n = (n[0] - n[-back]) * per_normal, t_n = (t[0] - t[-back]) * per_normal;
    const double n_t = ((n[side] + n[side - back]) - (n[-side] + n[-side - back])) * per_side;
    const double t_t = ((t[side] + t[side - back]) - (t[-side] + t[-side - back])) * per_side;
    const double weight = weight_of_one + weight_of_density * (rho[i] + rho[i - back]);
    const double stress_n = weight * (fluid.normal * n_n + fluid.cross_normal * t_t);
    const double stress_t = weight * (fluid.shear * t_n + fluid.cross_shear * n_t);
    energy[i] -= 0.5 * ((n[0] + n[-back]) * stress_n + (t[0] + t[-back]) * stress_t);
    momentum[i] -= stress_n;
    transverse[i] -= stress_t;
  }
}

void Flow::flux(const Sweep& s, int j, const Row& left, const Row& right, const Row& out, int count,
                bool along_x) {
  const int n = along_x ? velocity_x : velocity_y, t = along_x ? velocity_y : velocity_x;
  const double gamma = s.fluid.gamma, per_gamma_minus_1 = 1 / (gamma - 1);
  const double *l_rho = left.part[density], *l_p = left.part[pressure], *l_n = left.part[n],
               *l_t = left.part[t];
  const double *r_rho = right.part[density], *r_p = right.part[pressure], *r_n = right.part[n],
               *r_t = right.part[t];
  double *mass = out.part[density], *energy = out.part[pressure], *along = out.part[n], *across = out.part[t];
#pragma GCC ivdep
  for (int i = 0; i < count; ++i) {
    const Side l{l_rho[i], l_p[i], l_n[i], l_t[i]}, r{r_rho[i], r_p[i], r_n[i], r_t[i]};
    hllc(l, r, gamma, per_gamma_minus_1, mass[i], energy[i], along[i], across[i]);
  }
  if (s.fluid.normal > 0) subtract_stress(s, j, out, count, along_x);
}

// rate = (|u| + c)/dx + (|v| + c)/dy + 2 nu (1/dx^2 + 1/dy^2); infinite where density or pressure is not
// positive.
void Flow::correct(const Sweep& s, int j, const Row& flux_x, const Row& south, const Row& north) {
  const Row w = row<components>(s, s.state, j), out = row<components>(s, s.next, j);
  const double over_dx = s.dt / s.dx, over_dy = s.dt / s.dy, per_dx = 1 / s.dx, per_dy = 1 / s.dy;
  const double gamma = s.fluid.gamma, gamma_minus_1 = gamma - 1, per_gamma_minus_1 = 1 / (gamma - 1);
  const double diffusion = 2 * s.fluid.normal * (per_dx * per_dx + per_dy * per_dy);
  const double diffusion_plain = s.fluid.times_density ? diffusion : 0.0;
  const double diffusion_per_density = s.fluid.times_density ? 0.0 : diffusion;
  double* signal = s.signal;
  const auto change = [&](int c, int i) {
    return over_dx * (flux_x.part[c][i + 1] - flux_x.part[c][i]) +
           over_dy * (north.part[c][i] - south.part[c][i]);
  };
#pragma GCC ivdep
  for (int i = 0; i < s.nx; ++i) {
    const double rho_0 = w.part[density][i], u_0 = w.part[velocity_x][i], v_0 = w.part[velocity_y][i];
    const double total_0 = w.part[pressure][i] * per_gamma_minus_1 + 0.5 * rho_0 * (u_0 * u_0 + v_0 * v_0);
    const double rho = rho_0 - change(density, i);
    const double per_density = 1 / rho;
    const double u = (rho_0 * u_0 - change(velocity_x, i)) * per_density;
    const double v = (rho_0 * v_0 - change(velocity_y, i)) * per_density;
    const double p = gamma_minus_1 * ((total_0 - change(pressure, i)) - 0.5 * rho * (u * u + v * v));
    out.part[density][i] = rho;
    out.part[pressure][i] = p;
    out.part[velocity_x][i] = u;
    out.part[velocity_y][i] = v;

    const double sound = __builtin_sqrt(gamma * p * per_density);
    const double rate = (__builtin_fabs(u) + sound) * per_dx + (__builtin_fabs(v) + sound) * per_dy +
                        (diffusion_plain + diffusion_per_density * per_density);
    const double broken = __builtin_inf();
    const double finite_rate = smaller(rate, broken);  // not a number becomes infinite too
    signal[i] = larger(signal[i], rho > 0 ? (p > 0 ? finite_rate : broken) : broken);
  }
}

}  // namespace

void flow_step(const Sweep& s) {
  unsplit_step<Flow>(s);
}

}  // namespace cvf::systems::CVF_SIMD
