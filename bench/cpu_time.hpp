// Time that one core spent on single-threaded work: other programs on a shared machine do not count.
#pragma once

#include "core/machine.hpp"
#include "figures.hpp"

namespace cvf::bench {

/// Median seconds of this thread over `repeats` calls after one unmeasured call.
template <class Work>
double median_cpu_seconds(int repeats, Work&& work) {
  work();
  std::vector<double> all;
  for (int i = 0; i < repeats; ++i) {
    const double start = clock::cpu_of_thread();
    work();
    all.push_back(clock::cpu_of_thread() - start);
  }
  return median(all);
}

}  // namespace cvf::bench
