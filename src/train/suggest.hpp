// What a data file suggests for a run on it, each with the reason in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/noise.hpp"
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

struct SuggestedStrides {
  std::vector<std::int64_t> strides;  // of loader.strides
  std::string why;
};
/// Every frame is a start; steps are 1, 2, 4 and 8 frames long, as far as a sample has four times as many
/// frames. Where the values are noisy, steps over which the state changes too little beside the noise are
/// left out, and longer ones taken in their place.
SuggestedStrides suggest_strides(const data::Source& source, const std::vector<std::size_t>& training,
                                 const std::vector<data::ChannelNoise>& noise);

struct SuggestedBoundary {
  std::string text;          // of all axes; what is neither stated nor found stays unknown
  bool from_values = false;  // the file does not state it, its values show it
  std::string why;
};
/// For states on a grid: per axis the boundary that the file states, else periodic where the values continue
/// across the ends of the axis, else unknown.
SuggestedBoundary suggest_boundary(const data::Source& source, const std::vector<std::size_t>& training);

}  // namespace cvf::train
