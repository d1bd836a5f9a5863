// What a data file suggests for a run on it, each with the reason in words.
#pragma once

#include <string>
#include <vector>

#include "data/source.hpp"
#include "data/splits.hpp"

namespace cvf::train {

/// Parameters of the file that count its samples (an ensemble's member, say) and so are none of the physics:
/// whole numbers that run from 0 or 1 through the samples, or have the name of an index.
std::vector<std::string> sample_indices(const data::Source& source);

struct SuggestedSplit {
  data::Splits lists;
  std::string why;
};
/// Four fifths train and a tenth each validates and tests, in file order; where a parameter sorts the
/// samples, spread over the file instead.
SuggestedSplit suggest_split(const data::Source& source);

struct SuggestedFrames {
  int factor = 1;
  std::string why;
};
/// The coarsest even grid of 1, 2, 4 or 8 frames on which a step still changes the state by less than a third
/// of its spread and ten steps or more are left; all frames when the times are uneven.
SuggestedFrames suggest_frames(const data::Source& source, const std::vector<std::size_t>& training);

struct SuggestedBoundary {
  std::string text, why;  // no text: as the file says, or nothing is known
};
/// Of states on a grid. Where the file does not say it, axes across whose ends the values continue are
/// periodic.
SuggestedBoundary suggest_boundary(const data::Source& source, const std::vector<std::size_t>& training);

}  // namespace cvf::train
