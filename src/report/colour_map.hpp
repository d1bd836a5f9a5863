// Numbers to colours. Both maps run through Oklab, where equal steps look equal, with lightness that only
// rises (sequential) or rises and falls evenly (diverging), so they also read in grey.
#pragma once

#include "report/image.hpp"

namespace cvf::report {

enum class Palette { sequential, diverging };

Colour colour_of(Palette palette, double share);  // share in [0, 1]; NaN gives magenta, which no map contains

/// What colours stand for: the range of the data, symmetric about 0 when it takes both signs.
struct Scale {
  double low = 0, high = 1;
  Palette palette = Palette::sequential;

  Colour colour(double value) const { return colour_of(palette, (value - low) / (high - low)); }
};

Scale scale_for(double low, double high);

}  // namespace cvf::report
