// The Riemann problem of the compressible flow, without branches.
#pragma once

#include "systems/simd/unsplit.hpp"

namespace cvf::systems::CVF_SIMD {

// HLLC (Toro, Spruce, Speares 1994) as "find the state at the face, then take its flux". With m_K = rho_K
// (S_K - u_K):
//   S_M = (p_R - p_L + m_L u_L - m_R u_R) / (m_L - m_R),   p* = mean of p_K + m_K (S_M - u_K),
//   rho* = m_K / (S_K - S_M),   E* = ((S_K - u_K) E_K - p_K u_K + p* S_M) / (S_K - S_M).
// At S_M = 0 both sides give the same flux, so a symmetric collision stays symmetric. One sound speed, the
// larger, bounds both outer waves and saves a square root.
struct Side {
  double rho, p, normal, tangent;
};

inline void hllc(const Side& l, const Side& r, double gamma, double per_gamma_minus_1, double& mass,
                 double& energy, double& momentum, double& transverse) {
  const bool left_is_hotter = l.p * r.rho > r.p * l.rho;
  const double hotter_p = left_is_hotter ? l.p : r.p;
  const double hotter_rho = left_is_hotter ? l.rho : r.rho;
  const double sound = __builtin_sqrt(gamma * hotter_p / hotter_rho);
  const double slowest = smaller(l.normal, r.normal) - sound;
  const double fastest = larger(l.normal, r.normal) + sound;
  const double gap_l = slowest - l.normal, gap_r = fastest - r.normal;
  const double m_l = l.rho * gap_l, m_r = r.rho * gap_r;
  const double contact = ((r.p - l.p) + (m_l * l.normal - m_r * r.normal)) / (m_l - m_r);
  const double star_p = 0.5 * ((l.p + m_l * (contact - l.normal)) + (r.p + m_r * (contact - r.normal)));

  const bool from_left = contact >= 0;
  const double rho = from_left ? l.rho : r.rho;
  const double p = from_left ? l.p : r.p;
  const double normal = from_left ? l.normal : r.normal;
  const double tangent = from_left ? l.tangent : r.tangent;
  const double gap = from_left ? gap_l : gap_r;
  const double m = from_left ? m_l : m_r;
  const double per_width = 1 / ((from_left ? slowest : fastest) - contact);
  const double total = p * per_gamma_minus_1 + 0.5 * rho * (normal * normal + tangent * tangent);

  // Outside the fan (supersonic) the face sees the undisturbed state.
  const double outside = larger(slowest, -fastest);
  const double face_rho = outside >= 0 ? rho : m * per_width;
  const double face_p = outside >= 0 ? p : star_p;
  const double face_normal = outside >= 0 ? normal : contact;
  const double face_total = outside >= 0 ? total : (gap * total - p * normal + star_p * contact) * per_width;

  mass = face_rho * face_normal;
  energy = face_normal * (face_total + face_p);
  momentum = mass * face_normal + face_p;
  transverse = mass * tangent;
}

}  // namespace cvf::systems::CVF_SIMD
