// A solve through several targets, as the frames that it went through.
#pragma once

#include <vector>

#include "solvers/solution.hpp"

namespace cvf::solvers {

/// How a frame was reached. The given frame has none of it.
struct Frame {
  Counts counts;
  RowStatus row_status;
  std::vector<Step> steps;  // accepted, with the error of each
};

/// The given frame and those of a row's targets, with the counts and steps of each one's own interval; a step
/// that passes several of them is the first one's.
std::vector<Frame> frames_of(const Outcome& outcome, std::size_t row, const std::vector<double>& targets,
                             bool backward);

}  // namespace cvf::solvers
