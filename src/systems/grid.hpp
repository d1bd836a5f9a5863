// Coordinates of cell-centred and periodic grids.
#pragma once

#include <vector>

namespace cvf::systems {

/// Centres of `count` equal cells that fill (low, high).
inline std::vector<double> cell_centres(int count, double low, double high) {
  std::vector<double> out(static_cast<std::size_t>(count));
  const double width = (high - low) / count;
  for (int i = 0; i < count; ++i) out[static_cast<std::size_t>(i)] = low + (i + 0.5) * width;
  return out;
}

}  // namespace cvf::systems
