#include "systems/random_waves.hpp"

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

// sin(a + b) and cos(a + b) split into x and y parts: on one row all waves of equal i join into one in x.
std::vector<double> sample_waves(const Waves& waves, GridSize grid) {
  constexpr std::size_t count = 2 * highest_wave + 1;
  const std::vector<double> columns = cell_centres(grid.nx, 0, 1);
  std::vector<double> out(static_cast<std::size_t>(grid.nx) * static_cast<std::size_t>(grid.ny));
  std::vector<double> sine(count * columns.size()), cosine(count * columns.size());
  for (std::size_t n = 0; n < count; ++n) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const double angle = two_pi * (static_cast<double>(n) - highest_wave) * columns[c];
      sine[n * columns.size() + c] = std::sin(angle);
      cosine[n * columns.size() + c] = std::cos(angle);
    }
  }
  double* row = out.data();
  for (const double y : cell_centres(grid.ny, 0, 1)) {
    std::array<double, count> of_sine{}, of_cosine{};
    for (const Wave& wave : waves) {
      const double s = std::sin(two_pi * wave.j * y), c = std::cos(two_pi * wave.j * y);
      const auto n = static_cast<std::size_t>(wave.i + highest_wave);
      of_sine[n] += wave.sine * c - wave.cosine * s;
      of_cosine[n] += wave.sine * s + wave.cosine * c;
    }
    for (std::size_t n = 0; n < count; ++n) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        row[c] += of_sine[n] * sine[n * columns.size() + c] + of_cosine[n] * cosine[n * columns.size() + c];
      }
    }
    row += grid.nx;
  }
  return out;
}

}  // namespace cvf::systems
