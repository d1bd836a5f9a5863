// Small functions that compile to vector instructions: no branches, no library.
#pragma once

namespace cvf::systems::CVF_SIMD {

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

}  // namespace cvf::systems::CVF_SIMD
