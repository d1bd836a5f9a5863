// `cvf bench solvers`: what a step costs beside the field, for a network and for a field that costs nothing.
#pragma once

namespace cvf::bench {

struct SolverSettings {
  int repeats = 9;
  bool json = false;
};

void run_solvers(const SolverSettings& settings);

}  // namespace cvf::bench
