// Large arrays of floats on transparent huge pages: their first touch costs a sixth of that of small pages.
#pragma once

#include <cstddef>
#include <memory>

namespace cvf::kernels {

struct FreeBuffer {
  void operator()(float* data) const;
};
using Buffer = std::unique_ptr<float[], FreeBuffer>;

Buffer make_buffer(std::size_t floats);

/// Scratch that is kept for the next caller when its holder goes.
class Scratch {
 public:
  explicit Scratch(std::size_t floats);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  float* data() const { return buffer_.get(); }

 private:
  std::size_t floats_;
  Buffer buffer_;
};

}  // namespace cvf::kernels
