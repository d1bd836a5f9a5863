// NumPy's legacy generator (np.random.seed(n), then uniform, randn): bit for bit the numbers of data sets
// that were drawn with it. New draws should use core/random.hpp instead.
#pragma once

#include <cstdint>
#include <random>

namespace cvf::systems {

class NumpyLegacy {
 public:
  /// np.random.seed(seed): one 32-bit word, spread over the state as by std::mt19937's own constructor.
  explicit NumpyLegacy(std::uint32_t seed) : engine_(seed) {}

  double uniform();                         // np.random.rand(): [0, 1), 53 bits
  double uniform(double low, double high);  // np.random.uniform(low, high)
  double normal();                          // np.random.randn(): Marsaglia's polar method

 private:
  std::mt19937 engine_;
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

/// The seed of one sample: `seed + sample`, refused with a ConfigError where NumPy refuses it too (above 2^32
/// - 1).
std::uint32_t numpy_seed(std::uint64_t seed, std::uint64_t sample);

}  // namespace cvf::systems
