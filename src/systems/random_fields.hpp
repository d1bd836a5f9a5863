// Smooth random fields: on a box with walls, and on the periodic unit square, where they are 64 plane waves
// of equal spectrum and random phase.
//
//   f(x) = sum over i, j in -4..4, i j != 0, of |k|^-1/2 sin(k.x + phase),   k = 2 pi (i, j)
#pragma once

#include <vector>

#include "core/random.hpp"
#include "systems/system.hpp"

namespace cvf::systems {

constexpr int highest_wave = 4;

/// sine * sin(k.x) + cosine * cos(k.x), k = 2 pi (i, j)
struct PlaneWave {
  int i, j;
  double sine, cosine;
};
using Waves = std::vector<PlaneWave>;

/// One scalar field: every phase uniform and independent.
Waves random_waves(RandomStream& stream);

/// Keeps the divergence-free part of the vector field (u, v), wave by wave. The two must list the same (i,
/// j). `shift` is subtracted from i and j in the projector: 0 is right; 1 is what the public generator of the
/// compressible data does, which leaves an rms divergence of about 0.135 of the rms vorticity.
void project_divergence_free(Waves& u, Waves& v, int shift);

/// Values at the cell centres, [ny][nx].
std::vector<double> sample_waves(const Waves& waves, GridSize grid);

/// One plane [ny][nx] of a Gaussian random field on a box of height x width whose normal derivative vanishes
/// at the walls: independent cosine modes with the spectrum of the correlation exp(-r^2 / (2 length^2)),
/// variance 1 on the average over box and ensemble. The same stream gives the same field on any grid that
/// resolves it.
std::vector<double> cosine_field(GridSize grid, double height, double width, double length,
                                 RandomStream& random);

}  // namespace cvf::systems
