// Is a grid periodic, where the file does not say? Its values tell: on a periodic grid the last cell is the
// first one's neighbour like any other.
#pragma once

#include <vector>

#include "data/source.hpp"

namespace cvf::data {

/// RMS differences between cells along one axis, in units of those between cells half a grid apart: the last
/// cell and the first, neighbours at the two sides, all neighbours. Bends are differences between such
/// differences, which are large where sides of equal values meet in a kink.
struct Seam {
  double across = 0, beside = 0, inside = 0;
  double bend_across = 0, bend_inside = 0;

  /// The sides continue each other. False where the values are too rough to tell, or nothing happens at the
  /// sides.
  bool closes() const;
};

/// For each axis, from a few frames of a few of these samples. Throws a DataError for a value that is not
/// finite.
std::vector<Seam> seams(const Source& source, const std::vector<std::size_t>& samples);

}  // namespace cvf::data
