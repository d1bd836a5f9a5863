// Memory and disk that a run will need, estimated before it starts: better refused in the first second than
// dead in the second hour.
#pragma once

#include <string>

#include "train/learner.hpp"

namespace cvf::train {

struct Needed {
  double parameters = 0;   // bytes of the weights
  double copies = 5;       // weights, gradients, two moments, packed weights; one more when averaging
  double activations = 0;  // bytes of one step
  double loader = 0;       // bytes
  double checkpoint = 0;   // bytes of one
  int checkpoints = 0;     // kept, with the one being written and the best
};

Needed needed_for(const RunOptions& options, const RunData& run_data, const Learner& learner, int ranks);

/// Throws a ConfigError or DataError that says what is short and what would help. `available` < 0: asks the
/// system.
void check_resources(const Needed& needed, const std::string& folder, double available_memory = -1,
                     double available_disk = -1);

}  // namespace cvf::train
