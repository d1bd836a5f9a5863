// How large the error of a step is, known beforehand from its NRE and its length: what makes a tolerance mean
// the same for steps of every length. Learned where the truth is known (evaluate/step_errors), read where it
// is not.
#pragma once

#include <vector>

#include "core/config.hpp"

namespace cvf::solvers {

struct StepErrors {
  std::vector<double> nre, length;  // the knots, rising
  std::vector<double>
      error;  // for each length one for each NRE: RMS in the units of the states that are stepped

  /// Linear between the knots in the logarithms of all three; below the first NRE as there, beyond the last
  /// and outside the lengths in proportion. Rises with both.
  double at(double step_nre, double step_length) const;

  void describe(config::Section& section);
  /// Whether knots and errors are positive and rise.
  bool sound() const;
};

}  // namespace cvf::solvers
