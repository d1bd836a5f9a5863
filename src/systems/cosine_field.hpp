// Smooth random fields whose normal derivative vanishes at the walls.
#pragma once

#include <vector>

#include "core/random.hpp"
#include "systems/system.hpp"

namespace cvf::systems {

/// One plane [ny][nx] of a Gaussian random field on a box of width x height: independent cosine modes with
/// the spectrum of the correlation exp(-r^2 / (2 length^2)), variance 1 on the average over box and ensemble.
/// The same stream gives the same field on any grid that resolves it.
std::vector<double> cosine_field(GridSize grid, double width, double height, double length,
                                 RandomStream& random);

}  // namespace cvf::systems
