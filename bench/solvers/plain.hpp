// dopri5 as one would write it with tensor operations: every row its own step, masks instead of packing.
#pragma once

#include "solvers/tensors/integrate.hpp"

namespace cvf::bench {

struct Plain {
  torch::Tensor end;
  int rounds = 0;
};

/// From time 0 past `until`, without dense output; the first step is `first` for every row.
Plain plain_dopri5(const solvers::Velocity& velocity, const torch::Tensor& start, double until, double first,
                   double atol, double rtol);

}  // namespace cvf::bench
