// A trajectory in high dimensions seen in the plane where it moves most: the first two principal components.
#pragma once

#include <array>
#include <vector>

#include "report/movie.hpp"

namespace cvf::report {

class Plane {
 public:
  /// Fitted to the finite frames of `movie`. With fewer than three of them everything lies at the origin.
  explicit Plane(const Movie& movie);

  using Point = std::array<double, 2>;
  std::vector<Point> project(const Movie& movie) const;  // NaN where a frame is not finite
  Point explained() const { return explained_; }         // shares of the variance

 private:
  std::vector<double> centre_;
  std::array<std::vector<double>, 2> axes_;  // orthonormal
  Point explained_{};
};

}  // namespace cvf::report
