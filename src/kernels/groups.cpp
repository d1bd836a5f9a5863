#include "kernels/groups.hpp"

#include <algorithm>

namespace cvf::kernels {
namespace {

long rounded_up(long a, long b) {
  return (a + b - 1) / b;
}

}  // namespace

std::vector<SampleGroup> single_samples(long batch, int threads) {
  std::vector<SampleGroup> out;
  for (long s = 0; s < batch / threads * threads; ++s) out.push_back({s, s + 1});
  return out;
}

int group_limit(int threads) {
  return threads == 1 ? 1 : 3 * threads;
}

std::vector<SampleGroup> shrinking_groups(long batch, int threads, int most) {
  const long each = batch / threads;
  // A quarter is left for later: cores that differ by more are rare.
  const int later = std::min(group_limit(threads), most) - threads;
  const long first = later > 0 ? each - each / 4 : each;
  std::vector<SampleGroup> out;
  long next = 0;
  const auto add = [&](long samples) {
    if (samples > 0) out.push_back({next, next + samples});
    next += samples;
  };
  for (int t = 0; t < threads; ++t) add(first);
  const long end = each * threads;
  for (int i = 0; next < end; ++i) {
    const long left = end - next;
    add(std::max(rounded_up(2 * left, 3l * threads), rounded_up(left, later - i)));
  }
  return out;
}

}  // namespace cvf::kernels
