// Dormand and Prince's pair of orders 5 and 4, with Shampine's middle for dense output.
#pragma once

#include "solvers/parts/embedded.hpp"

namespace cvf::solvers {

class Dopri5 : public EmbeddedPair {
 public:
  Dopri5(const Options& options, const Context&);
};

}  // namespace cvf::solvers
