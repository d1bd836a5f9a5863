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
  std::string text;          // of all axes; what is neither stated nor found stays unknown
  bool from_values = false;  // the file does not state it, its values show it
  std::string why;
};
/// For states on a grid: per axis the boundary that the file states, else periodic where the values continue
/// across the ends of the axis, else unknown.
SuggestedBoundary suggest_boundary(const data::Source& source, const std::vector<std::size_t>& training);

}  // namespace cvf::train
