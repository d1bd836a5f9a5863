// What a request would take of the memory, refused before anything is allocated: a typing error in a number
// should cost one sentence and not the machine.
#pragma once

#include <string>

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
