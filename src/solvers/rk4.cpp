#include "solvers/rk4.hpp"

namespace cvf::solvers {

std::unique_ptr<Stepper> Rk4::start() const {
  static const Tableau tableau{.order = 4,
                               .a = {{0.5}, {0, 0.5}, {0, 0, 1}},
                               .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
                               .error = {},
                               .middle = {}};
  return std::make_unique<FixedStepper>(tableau, options_, false);
}

}  // namespace cvf::solvers
