// One root seed, many named streams. A stream's numbers depend on (seed, name, index) and on nothing else, so
// work can be split over any number of threads or ranks and still draw the same values.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace cvf {

/// Philox 4x32-10 (Salmon et al. 2011): a keyed bijection of a 128-bit counter.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name, std::uint64_t index = 0);

  std::uint64_t bits();                      // 64 uniform bits
  double uniform();                          // [0, 1), 53 bits
  double uniform(double low, double high);   // [low, high)
  double normal();                           // N(0, 1), Box-Muller
  std::uint64_t below(std::uint64_t limit);  // 0 .. limit-1, unbiased

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::array<std::uint32_t, 2> key_;
  std::uint64_t index_;
  std::uint64_t block_ = 0;
  std::array<std::uint64_t, 2> buffer_{};
  int buffered_ = 0;
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

}  // namespace cvf
