// The Runge-Kutta-Chebyshev method of second order (Sommeijer, Shampine and Verwer 1997): explicit, with s
// stages stable on about 0.65 s^2 of the negative real axis, so diffusion does not dictate the step.
// Coefficients and step control; the loops over cells are in simd/.
#pragma once

#include <vector>

#include "systems/simd/fitzhugh_nagumo.hpp"

namespace cvf::systems {

/// The fewest stages (at least 2) that are stable for a step with h * spectral radius = `reach`.
int chebyshev_stages(double reach);

/// Coefficients for `stages` >= 2 and step `h`; entry 0 is unused.
std::vector<ChebyshevStage> chebyshev_coefficients(int stages, double h);

/// Keeps the error of a step below 1 (in units of the tolerance); remembers the last step to damp
/// oscillation.
class StepControl {
 public:
  /// True if a step of size h with this error may be kept. Afterwards next() is the size to try.
  bool judge(double h, double error);
  double next() const { return next_; }

 private:
  double next_ = 0, last_h_ = 0, last_error_ = 0;
};

}  // namespace cvf::systems
