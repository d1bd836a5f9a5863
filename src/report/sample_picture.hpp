// One sample of a data file as a picture: frames in a row for 2-D fields, an x-t map for 1-D fields, curves
// over time for vector states.
#pragma once

#include <vector>

#include "data/source.hpp"
#include "report/image.hpp"

namespace cvf::report {

struct PictureOptions {
  std::vector<std::size_t> frames;  // empty: `columns` frames spread evenly from the first to the last
  int columns = 6;
  int panel = 160;  // pixels of a panel's longer side, at least
};

Image picture_of(const data::Source& source, std::size_t sample, const PictureOptions& options = {});

}  // namespace cvf::report
