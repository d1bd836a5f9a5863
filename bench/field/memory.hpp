// Peak resident memory of a training step.
#pragma once

namespace cvf::bench {

/// Peak resident bytes that three evaluations of A and their backward pass add, measured in a process of its
/// own.
double extra_memory(bool fused);

/// What that process does: prints the bytes.
void print_extra_memory(bool fused);

}  // namespace cvf::bench
