#include "systems/chebyshev.hpp"

#include <algorithm>
#include <cmath>

namespace cvf::systems {
namespace {

// T_j, T'_j and T''_j at w for j = 0 .. s, from T_j = 2 w T_{j-1} - T_{j-2} and its derivatives.
struct Polynomials {
  std::vector<double> value, first, second;

  Polynomials(int s, double w) : value{1, w}, first{0, 1}, second{0, 0} {
    for (std::size_t j = 2; j <= static_cast<std::size_t>(s); ++j) {
      value.push_back(2 * w * value[j - 1] - value[j - 2]);
      first.push_back(2 * value[j - 1] + 2 * w * first[j - 1] - first[j - 2]);
      second.push_back(4 * first[j - 1] + 2 * w * second[j - 1] - second[j - 2]);
    }
  }
};

constexpr double damping = 2.0 / 13;

}  // namespace

int chebyshev_stages(double reach) {
  return std::max(2, 1 + static_cast<int>(std::sqrt(1.54 * reach + 1)));
}

// With w0 = 1 + damping / s^2, w1 = T'_s / T''_s, b_j = T''_j / T'_j^2 (b_0 = b_1 = b_2) and a_j = 1 - b_j
// T_j, all at w0:  mu = 2 w0 b_j / b_{j-1},  nu = -b_j / b_{j-2},  mu~ = 2 w1 b_j / b_{j-1},  gamma~ =
// -a_{j-1} mu~.
std::vector<ChebyshevStage> chebyshev_coefficients(int stages, double h) {
  const auto s = static_cast<std::size_t>(stages);
  const double w0 = 1 + damping / (stages * stages);
  const Polynomials t(stages, w0);
  const double w1 = t.first[s] / t.second[s];
  std::vector<double> b(s + 1);
  for (std::size_t j = 2; j <= s; ++j) b[j] = t.second[j] / (t.first[j] * t.first[j]);
  b[0] = b[1] = b[2];

  std::vector<ChebyshevStage> out(s + 1);
  out[1] = {1, 0, 0, 0, h * b[1] * w1};
  for (std::size_t j = 2; j <= s; ++j) {
    const double mu = 2 * w0 * b[j] / b[j - 1], nu = -b[j] / b[j - 2];
    const double mu_slope = 2 * w1 * b[j] / b[j - 1];
    const double a = 1 - b[j - 1] * t.value[j - 1];
    out[j] = {1 - mu - nu, mu, nu, h * mu_slope, -a * h * mu_slope};
  }
  return out;
}

// factor = 0.8 error^(-1/3), after two kept steps times (h / h_last) (error_last / error)^(1/3) if that is
// smaller.
bool StepControl::judge(double h, double error) {
  if (!(error <= 1)) {  // also when it is not a number
    const double factor = std::isfinite(error) ? 0.8 / std::cbrt(error) : 0.1;
    next_ = h * std::clamp(factor, 0.1, 0.8);
    return false;
  }
  const double small = std::max(error, 1e-12);
  double factor = 0.8 / std::cbrt(small);
  if (last_h_ > 0) factor = std::min(factor, factor * h / last_h_ * std::cbrt(last_error_ / small));
  next_ = h * std::clamp(factor, 0.1, 5.0);
  last_h_ = h;
  last_error_ = small;
  return true;
}

}  // namespace cvf::systems
