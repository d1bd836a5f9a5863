#include <algorithm>
#include <cmath>

#include "systems/compressible_flow.hpp"
#include "systems/grid.hpp"
#include "systems/random_fields.hpp"

namespace cvf::systems {
namespace {

using Field = std::vector<double>;
using Start = CompressibleFlow::Start;

void scale(Field& field, double by) {
  for (double& value : field) value *= by;
}

double mean_size(const Field& a) {
  double sum = 0;
  for (const double value : a) sum += std::abs(value);
  return sum / static_cast<double>(a.size());
}

void scale_to_mean_speed(Field& u, Field& v, double wanted) {
  double sum = 0;
  for (std::size_t n = 0; n < u.size(); ++n) sum += std::sqrt(u[n] * u[n] + v[n] * v[n]);
  const double by = wanted * static_cast<double>(u.size()) / sum;
  scale(u, by);
  scale(v, by);
}

Field joined(std::initializer_list<const Field*> fields) {
  Field out;
  for (const Field* field : fields) out.insert(out.end(), field->begin(), field->end());
  return out;
}

// 1 on [low, low + 0.45], 0 outside, tanh edges of width 0.01. The high end keeps that distance from the low
// one because the public generator draws both with the same key.
Field window_along(int count, double low) {
  Field out = cell_centres(count, 0, 1);
  for (double& x : out) x = 0.5 * (std::tanh((x - low) / 0.01) - std::tanh((x - low - 0.45) / 0.01));
  return out;
}

void multiply_by_window(Field& field, const Field& along_x, const Field& along_y) {
  for (std::size_t n = 0; n < field.size(); ++n)
    field[n] *= along_x[n % along_x.size()] * along_y[n / along_x.size()];
}

// One try; density or pressure may come out non-positive.
Start try_random_start(GridSize grid, const CompressibleFlow::Options& options, RandomStream& stream) {
  Start start;
  start.density = stream.uniform(0.1, 10);
  start.temperature = stream.uniform(0.1, 10);
  const double density_share = stream.uniform(0.01, 0.2), pressure_share = stream.uniform(0.01, 0.2);
  Field rho = sample_waves(random_waves(stream), grid), p = sample_waves(random_waves(stream), grid);
  Field u = sample_waves(random_waves(stream), grid), v = sample_waves(random_waves(stream), grid);
  scale(rho, density_share / mean_size(rho));
  scale(p, pressure_share / mean_size(p));
  scale_to_mean_speed(u, v, options.mach * std::sqrt(options.gamma * start.temperature));

  start.windowed = stream.uniform() < options.window;
  const Field along_x = window_along(grid.nx, stream.uniform(0.1, 0.45));
  const Field along_y = window_along(grid.ny, stream.uniform(0.1, 0.45));
  if (start.windowed) {
    for (Field* field : {&rho, &p, &u, &v}) multiply_by_window(*field, along_x, along_y);
  }
  for (double& value : rho) value = start.density * (1 + value);
  for (double& value : p) value = start.density * start.temperature * (1 + value);
  start.planes = joined({&rho, &p, &u, &v});
  return start;
}

}  // namespace

Start turbulent_start(GridSize grid, const CompressibleFlow::Options& options, RandomStream& stream) {
  Waves waves_u = random_waves(stream), waves_v = random_waves(stream);
  project_divergence_free(waves_u, waves_v,
                          options.projection == CompressibleFlow::Projection::exact ? 0 : 1);
  Field u = sample_waves(waves_u, grid), v = sample_waves(waves_v, grid);
  scale_to_mean_speed(u, v, 1);
  Start start;
  start.temperature = 1 / (options.gamma * options.mach * options.mach);
  const Field rho(u.size(), 1.0), p(u.size(), start.temperature);
  start.planes = joined({&rho, &p, &u, &v});
  return start;
}

Start random_start(GridSize grid, const CompressibleFlow::Options& options, RandomStream& stream) {
  for (;;) {
    Start start = try_random_start(grid, options, stream);
    const auto velocities = start.planes.begin() + static_cast<std::ptrdiff_t>(start.planes.size() / 2);
    if (*std::min_element(start.planes.begin(), velocities) > 0) return start;
  }
}

}  // namespace cvf::systems
