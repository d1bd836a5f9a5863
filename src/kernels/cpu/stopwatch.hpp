// Where the time of a pass goes; costs a test of a pointer when nobody asks.
#pragma once

#include <time.h>

#include "kernels/cpu/vec.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

class Stopwatch {
 public:
  explicit Stopwatch(double* seconds) : seconds_(seconds) { lap(part_count); }

  /// What has passed since the last lap belongs to this part.
  void lap(int part) {
    if (seconds_ == nullptr) return;
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    const double now = static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    if (part < part_count) seconds_[part] += now - last_;
    last_ = now;
  }

 private:
  double* seconds_;
  double last_ = 0;
};

}  // namespace cvf::kernels::cpu::CVF_SIMD
