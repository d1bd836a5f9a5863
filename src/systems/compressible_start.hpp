// The two random starts of compressible_flow.
#pragma once

#include "core/random.hpp"
#include "systems/compressible_flow.hpp"

namespace cvf::systems {

/// Uniform density 1 and pressure 1/(gamma M^2), divergence-free velocity of mean speed 1: sound moves at
/// 1/M.
CompressibleFlow::Start turbulent_start(GridSize grid, const CompressibleFlow::Options& options,
                                        RandomStream& stream);

/// Random density, pressure and velocity round random means; often inside a window only.
CompressibleFlow::Start random_start(GridSize grid, const CompressibleFlow::Options& options,
                                     RandomStream& stream);

}  // namespace cvf::systems
