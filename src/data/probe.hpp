// A look at an HDF5 file by another process, before this one touches it. libhdf5 crashes or loops on some
// damaged files, and files come from strangers: it costs one sentence instead of the program.
#pragma once

#include <string>

#include "data/source.hpp"

namespace cvf::data {

/// The program that looks (src/cli/probe), found beside the one that runs; set by `main`. Without one, as in
/// a host program that only links this library, files are opened as they are.
void use_probe(const std::string& program);

/// Throws a DataError when the look ends in a refusal, a crash or a limit. A file that has passed is not
/// looked at again while it stays as it is.
void probe(const std::string& file, const OpenOptions& options);

}  // namespace cvf::data
