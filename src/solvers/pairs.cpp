// Embedded pairs of orders 5 and 4 by their coefficients.
#include "solvers/parts/embedded.hpp"

namespace cvf::solvers {
namespace {

// Dormand and Prince, with Shampine's middle for dense output.
const Tableau& dopri5() {
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

// The weights of Tsitouras' interpolant at half the step.
std::vector<double> middle_of_tsit5() {
  constexpr double x = 0.5, x2 = x * x;
  return {
      -1.0530884977290216 * x * (x - 1.329989018975412) * (x2 - 1.4364028541716351 * x + 0.7139816917074209),
      0.1017 * x2 * (x2 - 2.1966568338249754 * x + 1.2949852507374631),
      2.490627285651252793 * x2 * (x2 - 2.38535645472061657 * x + 1.57803468208092486),
      -16.54810288924490272 * (x - 1.21712927295533244) * (x - 0.61620406037800089) * x2,
      47.37952196281928122 * (x - 1.203071208372362603) * (x - 0.658047292653547382) * x2,
      -34.87065786149660974 * (x - 1.2) * (x - 2.0 / 3) * x2,
      2.5 * (x - 1) * (x - 0.6) * x2};
}

// Tsitouras (2011): as dopri5, with smaller errors at the same cost.
const Tableau& tsit5() {
  static const Tableau t{
      .order = 5,
      .a = {{0.161},
            {-0.008480655492356989, 0.335480655492357},
            {2.8971530571054935, -6.359448489975075, 4.3622954328695815},
            {5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525},
            {5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401,
             -0.028269050394068383},
            {0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081,
             2.324710524099774}},
      .b = {0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081,
            2.324710524099774, 0},
      .error = {-0.001780011052225771, -0.0008164344596567469, 0.007880878010261995, -0.1447110071732629,
                0.5823571654525552, -0.45808210592918697, 1.0 / 66},
      .middle = middle_of_tsit5()};
  return t;
}

template <const Tableau& (*tableau)()>
struct Pair : EmbeddedPair {
  Pair(const Options& options, const Context& context)
      : EmbeddedPair(tableau(), options, context.time_unit) {}
};

}  // namespace

std::unique_ptr<Settings> dopri5_settings() {
  return settings_of<Pair<dopri5>, Settings>();
}

std::unique_ptr<Settings> tsit5_settings() {
  return settings_of<Pair<tsit5>, Settings>();
}

}  // namespace cvf::solvers
