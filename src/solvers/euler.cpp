#include "solvers/euler.hpp"

namespace cvf::solvers {

std::unique_ptr<Stepper> Euler::start() const {
  static const Tableau tableau{.order = 1, .a = {}, .b = {1}, .error = {}, .middle = {}};
  return std::make_unique<FixedStepper>(tableau, options_, true);
}

}  // namespace cvf::solvers
