// The spread of a channel: its standard deviation over all values that were added. Errors are divided by it
// where channels of different units are to count alike.
#pragma once

#include <algorithm>
#include <cmath>

namespace cvf::metrics {

struct Spread {
  double count = 0, mean = 0, squares = 0;  // squares: of the differences from the mean, summed

  /// As if the values of both had been added to one.
  void merge(const Spread& other) {
    const double both = count + other.count;
    if (!(both > 0)) return;
    const double shift = other.mean - mean;
    squares += other.squares + shift * shift * count * other.count / both;
    mean += shift * other.count / both;
    count = both;
  }

  /// What errors of the channel are divided by, never 0: the standard deviation; of a constant channel its
  /// magnitude; of one that is 0 throughout, 1. Values in float have a rounding error, which is no spread.
  double unit() const {
    constexpr double rounding = 1e-7;
    const double deviation = count > 0 ? std::sqrt(std::max(0.0, squares / count)) : 0;
    if (deviation > rounding * std::abs(mean)) return deviation;
    return mean != 0 ? std::abs(mean) : 1;
  }
};

}  // namespace cvf::metrics
