#include "objectives/default_solver.hpp"

#include <array>

#include "core/registry.hpp"

namespace cvf::objectives {
namespace {

struct Suited {
  std::string_view name, solver;
};

// Secant fields are stepped along their mean velocity, tangent fields by a method of order four.
constexpr std::array table{Suited{"cvf", "gcs"},  Suited{"sm", "euler"}, Suited{"tm", "rk4"},
                           Suited{"cfm", "rk4"},  Suited{"node", "rk4"}, Suited{"pushforward", "euler"},
                           Suited{"osg", "euler"}};

}  // namespace

std::string_view default_solver(std::string_view objective) {
  return find(std::span<const Suited>(table), objective, "objective").solver;
}

}  // namespace cvf::objectives
