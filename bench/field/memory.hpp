// Peak resident memory of a training step.
#pragma once

#include <string>

namespace cvf::bench {

/// Peak resident bytes that three evaluations of A and their backward pass add, measured in a process of its
/// own.
double extra_memory(const std::string& configuration, bool fused);

/// What that process does: prints the bytes.
void print_extra_memory(const std::string& configuration, bool fused);

}  // namespace cvf::bench
