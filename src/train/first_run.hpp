// A run file for a data file that nobody has trained on yet: short, each choice with its reason as a comment,
// and sized so that this machine is done in a few minutes. Samples, frames and boundary: see suggest.hpp.
// Field, batch and length: see run_data.hpp.
#pragma once

#include <string>

#include "train/options.hpp"

namespace cvf::train {

/// TOML text. `name` is what the file will be called, for the commands that the text names. A DataError says
/// what cannot be trained on.
std::string first_run(DataOptions data, const std::string& name);

}  // namespace cvf::train
