// The standard streams of the program: closed ones at its start, and output that was lost at its end.
#pragma once

namespace cvf::cli {

/// Puts /dev/null in the place of closed standard streams, so that no file that is opened later gets their
/// numbers. What is printed to a closed stdout still fails: its /dev/null is open for reading only.
void open_closed_streams();

inline constexpr int unknown_fault = -1;

/// Writes out what is buffered for stdout. Returns 0 when everything that was printed could be written, else
/// the errno of the failure, or `unknown_fault` where an earlier write has lost it.
int flush_output();

}  // namespace cvf::cli
