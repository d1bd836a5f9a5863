// How much of a grid cell lies inside a disc.
#pragma once

namespace cvf::systems {

struct Disc {
  double x = 0, y = 0, radius = 1;
};

/// Area shared by the disc and the rectangle (x0, x1) x (y0, y1), exact up to round-off.
double shared_area(const Disc& disc, double x0, double x1, double y0, double y1);

}  // namespace cvf::systems
