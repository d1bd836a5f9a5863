#include "systems/numpy_legacy.hpp"

#include <cmath>
#include <limits>

#include "core/errors.hpp"

namespace cvf::systems {

double NumpyLegacy::uniform() {
  const std::uint32_t high = static_cast<std::uint32_t>(engine_()) >> 5;  // 27 bits
  const std::uint32_t low = static_cast<std::uint32_t>(engine_()) >> 6;   // 26 bits
  return (high * 67108864.0 + low) / 9007199254740992.0;                  // (high 2^26 + low) / 2^53
}

double NumpyLegacy::uniform(double low, double high) {
  const double range = high - low;
  return low + range * uniform();
}

// Of each accepted pair the second is handed out first and the first kept for the next call.
double NumpyLegacy::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  double first, second, square;
  do {
    first = 2.0 * uniform() - 1.0;
    second = 2.0 * uniform() - 1.0;
    square = first * first + second * second;
  } while (square >= 1.0 || square == 0.0);
  const double scale = std::sqrt(-2.0 * std::log(square) / square);
  spare_normal_ = scale * first;
  has_spare_ = true;
  return scale * second;
}

std::uint32_t numpy_seed(std::uint64_t seed, std::uint64_t sample) {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint32_t>::max();
  if (seed > largest || sample > largest - seed) {
    throw ConfigError(
        "NumPy's legacy generator takes seeds up to 2^32 - 1, but seed {} and sample {} exceed it; use a "
        "smaller seed or another kind of initial state",
        seed, sample);
  }
  return static_cast<std::uint32_t>(seed + sample);
}

}  // namespace cvf::systems
