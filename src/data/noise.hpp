// Measurement noise of a file, from its values alone: what is left of a trajectory when differences in time
// have taken away all that is smooth from frame to frame.
#pragma once

#include <vector>

#include "data/source.hpp"

namespace cvf::data {

struct ChannelNoise {
  double deviation = 0;  // of the noise; 0: none was found
  double spread = 0;     // standard deviation of the channel's values, noise included

  double fraction() const { return spread > 0 ? deviation / spread : 0; }
};

/// For each channel, from a part of the frames of a few of these samples.
///
/// Fourth divided differences in time annihilate cubics; their weights are scaled to a sum of squares of one,
/// so that white noise keeps its deviation, also where times are uneven. (Of even times: 1, -4, 6, -4, 1 over
/// sqrt(70).) A smooth signal is about 16 times as large in differences of every second frame, noise is not:
/// the root mean squares of both must agree within a factor of 1.5. So must their median, which jumps that
/// pass now and then (a shock) leave small. What is no larger than the rounding of float32 is no noise.
/// Nothing is found in samples of fewer than nine frames. Values that are not finite are left out.
std::vector<ChannelNoise> noise(const Source& source, const std::vector<std::size_t>& samples);

}  // namespace cvf::data
