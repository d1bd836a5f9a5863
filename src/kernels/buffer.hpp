// Large arrays of floats on transparent huge pages, whose first touch costs a sixth of that of small pages.
// Freed ones are kept for the next caller: a training step asks for the same sizes again and again, and
// inside the general heap they would leave holes that double the memory.
#pragma once

#include <cstddef>
#include <memory>

namespace cvf::kernels {

struct FreeBuffer {
  std::size_t bytes = 0;
  void operator()(float* data) const;
};
using Buffer = std::unique_ptr<float[], FreeBuffer>;

Buffer make_buffer(std::size_t floats);

}  // namespace cvf::kernels
