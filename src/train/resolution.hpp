// How fine the states of a file are on their grid, and how long a step of training takes: what decides the
// patch of a field.
#pragma once

#include <vector>

#include "data/source.hpp"
#include "train/options.hpp"

namespace cvf::train {

struct RunData;

/// Fraction of the energy of the fluctuations along the grid that lies in waves shorter than two patches
/// (`patch`: the side of one in cells), mean over the channels that vary. The median of a few frames of a few
/// of these samples: a rough initial state does not count, where it becomes smooth.
double unresolved_energy(const data::Source& source, const std::vector<std::size_t>& samples, int patch);

/// Seconds of one training step with these options on this machine: the fastest of a few.
double measured_step(const RunOptions& options, const RunData& run_data);

}  // namespace cvf::train
