// Coordinates of cell-centred and periodic grids.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/state_spec.hpp"

namespace cvf::systems {

/// Centres of `count` equal cells that fill (low, high).
inline std::vector<double> cell_centres(int count, double low, double high) {
  std::vector<double> out(static_cast<std::size_t>(count));
  const double width = (high - low) / count;
  for (int i = 0; i < count; ++i) out[static_cast<std::size_t>(i)] = low + (i + 0.5) * width;
  return out;
}

/// An axis of such cells with the same boundary on both sides.
inline Axis axis_of_cells(std::string name, int count, double low, double high, Boundary sides) {
  return {std::move(name), static_cast<std::size_t>(count), cell_centres(count, low, high), {sides, sides}};
}

}  // namespace cvf::systems
