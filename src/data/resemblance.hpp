// How much neighbours of a file resemble each other: frames, samples, cells. In a trajectory a frame
// resembles the next one; where it does not, the axes may not be what they were said to be, or the values are
// noise.
#pragma once

#include "data/source.hpp"

namespace cvf::data {

/// Pearson correlations over pairs of values of the same channel, mean over the channels that vary, from a
/// few samples; NaN where there are no pairs.
struct Resemblance {
  double next_frame = 0, second_frame = 0;  // of a cell in one frame and in the next, and the one after that
  double next_sample = 0;                   // of a cell in the same frame of two neighbouring samples
  double next_cell = 0;                     // of neighbouring cells of a row in one frame
};

Resemblance resemblance(const Source& source);

}  // namespace cvf::data
