#include "solvers/step_errors.hpp"

#include <algorithm>
#include <cmath>

namespace cvf::solvers {
namespace {

// Where x stands among the knots: the one below, and how far it is to the next, 0 to 1.
struct Place {
  std::size_t below = 0;
  double share = 0;
};
Place place_of(const std::vector<double>& knots, double x) {
  if (knots.size() == 1 || x <= knots.front()) return {};
  const auto above = std::upper_bound(knots.begin(), knots.end(), x) - knots.begin();
  const auto below = std::min(static_cast<std::size_t>(above) - 1, knots.size() - 2);
  const double share = std::log(x / knots[below]) / std::log(knots[below + 1] / knots[below]);
  return {below, std::min(share, 1.0)};
}

bool rises(const std::vector<double>& knots) {
  for (std::size_t i = 0; i < knots.size(); ++i) {
    if (!(knots[i] > 0) || !std::isfinite(knots[i]) || (i > 0 && knots[i] <= knots[i - 1])) return false;
  }
  return !knots.empty();
}

}  // namespace

double StepErrors::at(double step_nre, double step_length) const {
  const Place column = place_of(nre, step_nre), row = place_of(length, step_length);
  const auto log_at = [&](std::size_t r, std::size_t c) {
    return std::log(error[std::min(r, length.size() - 1) * nre.size() + std::min(c, nre.size() - 1)]);
  };
  const auto along = [&](std::size_t r) {
    return (1 - column.share) * log_at(r, column.below) + column.share * log_at(r, column.below + 1);
  };
  double out = (1 - row.share) * along(row.below) + row.share * along(row.below + 1);
  if (step_nre > nre.back()) out += std::log(step_nre / nre.back());
  if (step_length > length.back()) out += std::log(step_length / length.back());
  if (step_length < length.front()) out += std::log(step_length / length.front());
  return std::exp(out);
}

void StepErrors::describe(config::Section& s) {
  s.key("nre", &nre, "knots of the NRE", config::above(0));
  s.key("length", &length, "knots of the length of a step", config::above(0));
  s.key("error", &error,
        "of a step, for each length one for each NRE: RMS in standard deviations of the state",
        config::above(0));
}

bool StepErrors::sound() const {
  if (!rises(nre) || !rises(length) || error.size() != nre.size() * length.size()) return false;
  for (std::size_t r = 0; r < length.size(); ++r) {
    for (std::size_t c = 0; c < nre.size(); ++c) {
      const double here = error[r * nre.size() + c];
      if (!(here > 0) || !std::isfinite(here)) return false;
      if (r > 0 && here < error[(r - 1) * nre.size() + c]) return false;
      if (c > 0 && here < error[r * nre.size() + c - 1]) return false;
    }
  }
  return true;
}

}  // namespace cvf::solvers
