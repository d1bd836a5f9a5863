#include "systems/random_fields.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "systems/grid.hpp"

namespace cvf::systems {
namespace {

constexpr double two_pi = 2 * std::numbers::pi;

// I - k k^T / |k|^2, whose image is orthogonal to k; the identity for k = 0, where nothing diverges.
struct Projector {
  double xx = 1, xy = 0, yy = 1;

  static Projector across(double i, double j) {
    const double square = i * i + j * j;
    if (square == 0) return {};
    return {1 - i * i / square, -i * j / square, 1 - j * j / square};
  }
};

Projector mean(const Projector& a, const Projector& b) {
  return {0.5 * (a.xx + b.xx), 0.5 * (a.xy + b.xy), 0.5 * (a.yy + b.yy)};
}

void apply(const Projector& p, double& u, double& v) {
  const double old_u = u;
  u = p.xx * u + p.xy * v;
  v = p.xy * old_u + p.yy * v;
}

constexpr std::size_t wave_numbers = 2 * highest_wave + 1;  // -4..4, stored from 0

std::size_t slot(int i) {
  return static_cast<std::size_t>(i) + highest_wave;
}

/// sin(2 pi i x) and cos(2 pi i x) at the cell centres, for every wave number i: [wave_numbers][nx].
struct Table {
  std::vector<double> sine, cosine;

  explicit Table(const std::vector<double>& columns) {
    for (int i = -highest_wave; i <= highest_wave; ++i) {
      for (const double x : columns) {
        sine.push_back(std::sin(two_pi * i * x));
        cosine.push_back(std::cos(two_pi * i * x));
      }
    }
  }
};

/// Along the row at `y` all waves of equal i are one wave in x: sin(a + b) and cos(a + b) split into their
/// parts.
struct RowWaves {
  std::array<double, wave_numbers> sine{}, cosine{};

  RowWaves(const Waves& waves, double y) {
    for (const PlaneWave& wave : waves) {
      const double s = std::sin(two_pi * wave.j * y), c = std::cos(two_pi * wave.j * y);
      sine[slot(wave.i)] += wave.sine * c - wave.cosine * s;
      cosine[slot(wave.i)] += wave.sine * s + wave.cosine * c;
    }
  }
};

}  // namespace

Waves random_waves(RandomStream& stream) {
  Waves out;
  for (int i = -highest_wave; i <= highest_wave; ++i) {
    for (int j = -highest_wave; j <= highest_wave; ++j) {
      if (i * j == 0) continue;
      const double phase = stream.uniform(0, two_pi);
      const double size = 1 / std::sqrt(two_pi * std::hypot(i, j));
      out.push_back({i, j, size * std::cos(phase), size * std::sin(phase)});
    }
  }
  return out;
}

// A real wave is e^{ikx} and e^{-ikx} in equal parts. Projecting each with its wave number less `shift` and
// keeping the real part amounts to the mean of the two projectors.
void project_divergence_free(Waves& u, Waves& v, int shift) {
  for (std::size_t n = 0; n < u.size(); ++n) {
    const Projector both = mean(Projector::across(u[n].i - shift, u[n].j - shift),
                                Projector::across(-u[n].i - shift, -u[n].j - shift));
    apply(both, u[n].sine, v[n].sine);
    apply(both, u[n].cosine, v[n].cosine);
  }
}

std::vector<double> sample_waves(const Waves& waves, GridSize grid) {
  const std::vector<double> columns = cell_centres(grid.nx, 0, 1), rows = cell_centres(grid.ny, 0, 1);
  const Table table(columns);
  std::vector<double> out(columns.size() * rows.size());
  double* row = out.data();
  for (const double y : rows) {
    const RowWaves here(waves, y);
    for (std::size_t n = 0; n < wave_numbers; ++n) {
      const std::size_t first = n * columns.size();
      for (std::size_t c = 0; c < columns.size(); ++c) {
        row[c] += here.sine[n] * table.sine[first + c] + here.cosine[n] * table.cosine[first + c];
      }
    }
    row += columns.size();
  }
  return out;
}

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
std::vector<double> cosine_field(GridSize grid, double height, double width, double length,
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
