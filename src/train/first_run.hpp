// A run file for a data file that nobody has trained on yet: short, each choice with its reason as a comment,
// and sized so that this machine is done in a few minutes.
//
// Samples: four fifths train and a tenth each validates and tests, in file order; where a parameter sorts the
// samples, spread over the file instead. Frames: the coarsest even grid of 1, 2, 4 or 8 frames on which a
// step still changes the state by less than a third of its spread and ten steps or more are left; all frames
// when the times are uneven. Field, batch and length: see choose.hpp.
#pragma once

#include <string>

#include "train/options.hpp"

namespace cvf::train {

/// TOML text. `name` is what the file will be called, for the commands that the text names. A DataError says
/// what cannot be trained on.
std::string first_run(DataOptions data, const std::string& name);

}  // namespace cvf::train
