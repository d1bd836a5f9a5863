// Is a grid periodic, where the file does not say? Its values tell: on a periodic grid the last cell is the
// first one's neighbour like any other.
#pragma once

#include <vector>

#include "data/source.hpp"

namespace cvf::data {

/// RMS differences between cells along one axis, in units of those between cells half a grid apart: the last
/// cell and the first, the two pairs of neighbours next to these, all neighbours; and second differences at
/// the two end cells and inside, which tell a kink.
struct Periodicity {
  double across = 0, beside = 0, inside = 0;
  double bend_across = 0, bend_inside = 0;

  /// The values continue smoothly across the ends. False where they are too rough to tell, or nothing happens
  /// at the ends.
  bool found() const;
};

/// For each axis, from a few frames of a few of these samples. Throws a DataError for a value that is not
/// finite.
std::vector<Periodicity> periodicity(const Source& source, const std::vector<std::size_t>& samples);

}  // namespace cvf::data
