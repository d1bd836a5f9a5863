#include "systems/disc.hpp"

#include <algorithm>
#include <cmath>

namespace cvf::systems {
namespace {

struct Point {
  double x, y;
};

double cross(Point a, Point b) {
  return a.x * b.y - a.y * b.x;
}
double dot(Point a, Point b) {
  return a.x * b.x + a.y * b.y;
}
Point between(Point a, Point b, double share) {
  return {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
}

// Signed area of the part of the disc round the origin that is seen under the directions a to b: a circular
// sector.
double sector(Point a, Point b, double radius) {
  return 0.5 * radius * radius * std::atan2(cross(a, b), dot(a, b));
}

// Signed area of the triangle (origin, a, b) inside the disc. The line a + s (b - a) meets the circle at the
// roots of |b - a|^2 s^2 + 2 a.(b - a) s + |a|^2 - r^2 = 0: a triangle between the roots, sectors before and
// after.
double triangle_in_disc(Point a, Point b, double radius) {
  const Point along{b.x - a.x, b.y - a.y};
  const double square = dot(along, along), half = dot(a, along);
  const double discriminant = half * half - square * (dot(a, a) - radius * radius);
  if (discriminant <= 0) return sector(a, b, radius);
  const double root = std::sqrt(discriminant);
  const double enter = std::clamp((-half - root) / square, 0.0, 1.0);
  const double leave = std::clamp((-half + root) / square, 0.0, 1.0);
  const Point in = between(a, b, enter), out = between(a, b, leave);
  return sector(a, in, radius) + 0.5 * cross(in, out) + sector(out, b, radius);
}

}  // namespace

double shared_area(const Disc& disc, double x0, double x1, double y0, double y1) {
  const Point corners[] = {{x0 - disc.x, y0 - disc.y},
                           {x1 - disc.x, y0 - disc.y},
                           {x1 - disc.x, y1 - disc.y},
                           {x0 - disc.x, y1 - disc.y}};
  double area = 0;
  for (int k = 0; k < 4; ++k) area += triangle_in_disc(corners[k], corners[(k + 1) % 4], disc.radius);
  return std::clamp(area, 0.0, (x1 - x0) * (y1 - y0));
}

}  // namespace cvf::systems
