// A run file for a data file that nobody has trained on yet: short, each choice with its reason as a comment,
// and sized so that this machine is done in a few minutes. Samples, frames and boundary: see suggest.hpp.
// Field, batch and length: see run_data.hpp.
#pragma once

#include <functional>
#include <string>

#include "train/options.hpp"

namespace cvf::train {

/// TOML text. `name` is what the file will be called, for the commands that the text names. `step_seconds`:
/// of a training step with these options; empty: measured. A DataError says what cannot be trained on.
std::string first_run(DataOptions data, const std::string& name,
                      const std::function<double(const RunOptions&)>& step_seconds = {});

}  // namespace cvf::train
