// What a field is made for: the shape of its states, and of what lies beside them.
#pragma once

#include <cstdint>

#include "core/state_spec.hpp"

namespace cvf::fields {

/// The state's shape and the unit of its step.
struct StateShape {
  std::int64_t channels = 1, height = 0, width = 0;  // height = width = 0: a vector state [B,C]
  double dt_ref = 1;                                 // training frame interval: tau = dt / dt_ref
  GridBoundary boundary{};                           // what lies beyond the sides of the grid
  // The context: parameters, static fields, controls and control fields, seen at so many nodes of a step.
  std::int64_t parameters = 0, statics = 0, controls = 0, control_fields = 0, nodes = 2;

  std::int64_t conditions() const { return parameters + nodes * controls; }  // numbers for the whole state
  std::int64_t beside() const { return statics + nodes * control_fields; }   // numbers for each cell
  bool is_vector() const { return height == 0; }
};

/// The shape of these states, with a step in units of dt_ref; the context is added behind. A ConfigError for
/// states of three axes, which no field takes yet.
StateShape shape_of(const StateSpec& state, double dt_ref);

}  // namespace cvf::fields
