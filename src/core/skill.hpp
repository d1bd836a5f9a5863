// Whether a trained model has skill: errors below those of forecasts that need no training. One verdict for
// the end of training, for an evaluation and for a report.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace cvf {

/// Errors by one metric on the same samples; NaN: not known.
struct SkillErrors {
  double model = std::numeric_limits<double>::quiet_NaN();
  double persistence = std::numeric_limits<double>::quiet_NaN();
  double mean_state = std::numeric_limits<double>::quiet_NaN();
  bool diverged = false;  // the model's forecasts went non-finite
};

/// What explains a lack of skill; as initialised: not known.
struct RunFacts {
  std::int64_t steps = -1;    // of training that were done
  double minutes = 0;         // train.minutes of the run; 0: no such bound
  bool out_of_time = false;   // that bound ended it
  std::int64_t patch = 1;     // field.patch
  std::string periodic_axes;  // that the field does not continue, though the values do: "x and y"
  double noise = 0;           // standard deviation of the noise over that of the states
  // RMS change of the states over the longest step of training, over their standard deviation.
  double change = std::numeric_limits<double>::quiet_NaN();
};

/// Empty for a model that is better than both baselines; else what it is worse than, the likely reason and
/// the next thing to try.
std::string lack_of_skill(const SkillErrors& errors, const RunFacts& facts);

}  // namespace cvf
