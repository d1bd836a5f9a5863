// Where and when something was made, for what is written down beside its numbers.
#pragma once

#include <string>

namespace cvf {

/// "Intel(R) Xeon(R) CPU, 2 threads, Linux x86_64": what timings depend on, and no name of a host or a user.
std::string machine();

/// The day in UTC, "2026-03-01". SOURCE_DATE_EPOCH (seconds since 1970) stands for the clock where it is set,
/// so that what is made twice can be the same to the byte.
std::string today();

}  // namespace cvf
