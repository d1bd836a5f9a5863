// Seconds by the system's clocks, each from a beginning of its own.
#pragma once

#include <ctime>

namespace cvf::clock {

inline double seconds(clockid_t which) {
  timespec now{};
  clock_gettime(which, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double wall() {
  return seconds(CLOCK_MONOTONIC);
}
inline double cpu_of_process() {  // all threads
  return seconds(CLOCK_PROCESS_CPUTIME_ID);
}
inline double cpu_of_thread() {
  return seconds(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace cvf::clock
