#include "objectives/default_solver.hpp"

#include <array>

#include "core/registry.hpp"

namespace cvf::objectives {
namespace {

struct Suited {
  std::string_view name, solver, searching;
};

// Secant fields are stepped along their mean velocity, tangent fields by a method of order four.
constexpr std::array table{Suited{"cvf", "euler", "gcs"},  Suited{"sm", "euler", "euler"},
                           Suited{"tm", "rk4", "rk4"},     Suited{"cfm", "rk4", "rk4"},
                           Suited{"node", "rk4", "rk4"},   Suited{"pushforward", "euler", "euler"},
                           Suited{"osg", "euler", "euler"}};

const Suited& row_of(std::string_view objective) {
  return find(std::span<const Suited>(table), objective, "objective");
}

}  // namespace

std::string_view default_solver(std::string_view objective) {
  return row_of(objective).solver;
}

std::string_view searching_solver(std::string_view objective) {
  return row_of(objective).searching;
}

}  // namespace cvf::objectives
