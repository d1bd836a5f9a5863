// Time that one core spent on single-threaded work: other programs on a shared machine do not count.
#pragma once

#include <ctime>

#include "figures.hpp"

namespace cvf::bench {

inline double cpu_now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Median seconds of this thread over `repeats` calls after one unmeasured call.
template <class Work>
double median_cpu_seconds(int repeats, Work&& work) {
  work();
  std::vector<double> all;
  for (int i = 0; i < repeats; ++i) {
    const double start = cpu_now();
    work();
    all.push_back(cpu_now() - start);
  }
  return median(all);
}

}  // namespace cvf::bench
