// Tsitouras' pair of orders 5 and 4 (2011): as dopri5, with smaller errors at the same cost.
#pragma once

#include "solvers/parts/embedded.hpp"

namespace cvf::solvers {

class Tsit5 : public EmbeddedPair {
 public:
  Tsit5(const Options& options, const Context&);
};

}  // namespace cvf::solvers
