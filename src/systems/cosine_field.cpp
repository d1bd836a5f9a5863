#include "systems/cosine_field.hpp"

#include <cmath>
#include <numbers>

namespace cvf::systems {
namespace {

constexpr double largest_exponent = 18;  // modes weaker than exp(-18) are left out

// How strong mode p along a side is: exp(-(p pi length / side)^2 / 4), and how many are worth having.
double weight(int p, double side, double length) {
  const double wave = p * std::numbers::pi * length / side;
  return std::exp(-wave * wave / 4);
}

int mode_count(double side, double length) {
  return 1 + static_cast<int>(std::sqrt(4 * largest_exponent) * side / (std::numbers::pi * length));
}

// The mean square of a sum of such modes: cos^2 averages to 1/2, and to 1 for the constant.
double mean_square(int count, double side, double length) {
  double sum = 1;
  for (int p = 1; p < count; ++p) sum += 0.5 * std::pow(weight(p, side, length), 2);
  return sum;
}

// basis[p][i] = weight(p) cos(p pi (i + 1/2) / cells), scaled to mean square 1; modes beyond the grid are
// zero.
std::vector<double> basis(int cells, double side, double length) {
  const int count = mode_count(side, length);
  const double scale = 1 / std::sqrt(mean_square(count, side, length));
  std::vector<double> out(static_cast<std::size_t>(count) * cells, 0.0);
  for (int p = 0; p < count && p < cells; ++p) {
    for (int i = 0; i < cells; ++i) {
      out[static_cast<std::size_t>(p) * cells + i] =
          scale * weight(p, side, length) * std::cos(p * std::numbers::pi * (i + 0.5) / cells);
    }
  }
  return out;
}

}  // namespace

// field[y][x] = sum_q along_y[q][y] sum_p normal(q, p) along_x[p][x]
std::vector<double> cosine_field(GridSize grid, double width, double height, double length,
                                 RandomStream& random) {
  const auto along_x = basis(grid.nx, width, length), along_y = basis(grid.ny, height, length);
  const auto nx = static_cast<std::size_t>(grid.nx), ny = static_cast<std::size_t>(grid.ny);
  std::vector<double> field(nx * ny, 0.0), row(nx);
  for (std::size_t q = 0; q < along_y.size() / ny; ++q) {
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t p = 0; p < along_x.size() / nx; ++p) {
      const double amplitude = random.normal();
      for (std::size_t x = 0; x < nx; ++x) row[x] += amplitude * along_x[p * nx + x];
    }
    for (std::size_t y = 0; y < ny; ++y) {
      for (std::size_t x = 0; x < nx; ++x) field[y * nx + x] += along_y[q * ny + y] * row[x];
    }
  }
  return field;
}

}  // namespace cvf::systems
