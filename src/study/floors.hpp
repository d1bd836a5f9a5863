// Structural floors: the error that a method keeps even with a perfect fit, from the exact flow. A study
// whose fit errors are above the floors' differences cannot tell the methods apart.
#pragma once

#include <optional>
#include <string>

namespace cvf::study {

/// What the floor of secant matching is worked out for.
struct FloorProblem {
  std::string data_file;
  std::string test;  // samples, e.g. "180:200"
  int factor = 1;    // training sees one frame in this many
  int samples = 8;   // at most so many test samples
};

/// L_tau of the exact secant over the training step, used as a slope over each source step (Euler): what an
/// sm without a fit error comes to off its training grid. Nothing where the system cannot start from any
/// state, or the file does not say which system made it.
std::optional<double> secant_floor(const FloorProblem& problem);

}  // namespace cvf::study
