#include "solvers/dopri5.hpp"

namespace cvf::solvers {
namespace {

const Tableau& tableau() {
  static const Tableau t{
      .order = 5,
      .a = {{1.0 / 5},
            {3.0 / 40, 9.0 / 40},
            {44.0 / 45, -56.0 / 15, 32.0 / 9},
            {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
            {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
            {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
      .b = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0},
      // Against Shampine's choice of the fourth-order solution, which torchdiffeq uses too.
      .error = {35.0 / 384 - 1951.0 / 21600, 0, 500.0 / 1113 - 22642.0 / 50085, 125.0 / 192 - 451.0 / 720,
                -2187.0 / 6784 + 12231.0 / 42400, 11.0 / 84 - 649.0 / 6300, -1.0 / 60},
      .middle = {6025192743.0 / 30085553152 / 2, 0, 51252292925.0 / 65400821598 / 2,
                 -2691868925.0 / 45128329728 / 2, 187940372067.0 / 1594534317056 / 2,
                 -1776094331.0 / 19743644256 / 2, 11237099.0 / 235043384 / 2}};
  return t;
}

}  // namespace

Dopri5::Dopri5(const Options& options, const Context&) : EmbeddedPair(tableau(), options) {}

}  // namespace cvf::solvers
