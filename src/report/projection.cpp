#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/movie.hpp"

namespace cvf::report {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void add_scaled(Vector& to, double factor, const Vector& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
}

// To length 1; what is too short to have a direction becomes 0.
void normalise(Vector& v, double least) {
  const double length = std::sqrt(dot(v, v));
  for (double& x : v) x = length > least ? x / length : 0;
}

std::vector<Vector> finite_frames(const Movie& movie) {
  std::vector<Vector> out;
  for (std::size_t t = 0; t < movie.frames; ++t) {
    const auto frame = movie.frame(t);
    if (std::all_of(frame.begin(), frame.end(), [](float v) { return std::isfinite(v); }))
      out.emplace_back(frame.begin(), frame.end());
  }
  return out;
}

// (sum over rows of row row^T) v
Vector covariance_times(const std::vector<Vector>& rows, const Vector& v) {
  Vector out(v.size(), 0);
  for (const auto& row : rows) add_scaled(out, dot(row, v), row);
  return out;
}

// Two axes by subspace iteration; the second is kept at a right angle to the first.
std::array<Vector, 2> leading_axes(const std::vector<Vector>& rows, double variance) {
  std::array<Vector, 2> axes{rows.back(), rows[rows.size() / 2]};
  const double least = 1e-9 * std::sqrt(variance);
  for (int turn = 0; turn < 60; ++turn) {
    for (auto& axis : axes) axis = covariance_times(rows, axis);
    normalise(axes[0], least * std::sqrt(variance));
    add_scaled(axes[1], -dot(axes[0], axes[1]), axes[0]);
    normalise(axes[1], least * std::sqrt(variance));
  }
  return axes;
}

// Within the plane: the axis of largest variance first.
void turn_to_principal(std::array<Vector, 2>& axes, const std::vector<Vector>& rows) {
  const Vector first = covariance_times(rows, axes[0]), second = covariance_times(rows, axes[1]);
  const double a = dot(axes[0], first), b = dot(axes[1], first), d = dot(axes[1], second);
  const double angle = 0.5 * std::atan2(2 * b, a - d);
  Vector x(axes[0].size(), 0), y(axes[0].size(), 0);
  add_scaled(x, std::cos(angle), axes[0]);
  add_scaled(x, std::sin(angle), axes[1]);
  add_scaled(y, -std::sin(angle), axes[0]);
  add_scaled(y, std::cos(angle), axes[1]);
  axes = {x, y};
}

}  // namespace

Plane::Plane(const Movie& movie) : centre_(movie.frame_size(), 0) {
  axes_.fill(Vector(movie.frame_size(), 0));
  auto rows = finite_frames(movie);
  if (rows.size() < 3) return;
  for (const auto& row : rows) add_scaled(centre_, 1.0 / static_cast<double>(rows.size()), row);
  double variance = 0;
  for (auto& row : rows) {
    add_scaled(row, -1, centre_);
    variance += dot(row, row);
  }
  if (!(variance > 0)) return;
  axes_ = leading_axes(rows, variance);
  turn_to_principal(axes_, rows);
  for (std::size_t k = 0; k < 2; ++k)
    explained_[k] = dot(axes_[k], covariance_times(rows, axes_[k])) / variance;
}

std::vector<Plane::Point> Plane::project(const Movie& movie) const {
  std::vector<Point> out;
  for (std::size_t t = 0; t < movie.frames; ++t) {
    const auto frame = movie.frame(t);
    Vector state(frame.begin(), frame.end());
    add_scaled(state, -1, centre_);
    out.push_back({dot(axes_[0], state), dot(axes_[1], state)});
  }
  return out;
}

}  // namespace cvf::report
