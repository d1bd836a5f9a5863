// The program, the machine and the day, for what is written down beside numbers; clocks; and the memory that
// is there.
#pragma once

#include <ctime>
#include <string>

namespace cvf {

/// "Intel(R) Xeon(R) CPU, 2 threads, Linux x86_64": what timings depend on, and no name of a host or a user.
std::string machine();

/// The day in UTC, "2026-03-01". SOURCE_DATE_EPOCH (seconds since 1970) stands for the clock where it is set,
/// so that what is made twice can be the same to the byte.
std::string today();

/// Which cvf this is.
extern const char* const version;
/// Of the source when it was built; "-dirty" behind it: with changes of its own.
extern const char* const commit;

}  // namespace cvf

// Seconds by the system's clocks, each from a beginning of its own.
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

// What a request would take of the memory, refused before anything is allocated: a typing error in a number
// should cost one sentence and not the machine.
namespace cvf::memory {

/// Bytes that can be had without swapping, as the kernel and the limits of this process have it; infinite
/// where nobody says.
double available();

/// "12 GB"; counts beyond any real size too: "1.6e+300 bytes".
std::string words(double bytes);

/// Whether so many bytes, known only about, are out of the question here.
bool exceeds(double bytes);

/// "need about 16 TB of memory, and 11.2 GB are available": the end of a sentence that says what needs it.
std::string shortage(double bytes);

}  // namespace cvf::memory
