#include "kernels/buffer.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace cvf::kernels {
namespace {

constexpr std::size_t huge_page = 2u << 20;
constexpr std::size_t most_kept = 8;

struct Shelf {
  std::mutex mutex;
  std::vector<std::pair<std::size_t, Buffer>> free;
};

Shelf& shelf() {
  static Shelf the;
  return the;
}

}  // namespace

void FreeBuffer::operator()(float* data) const {
  std::free(data);
}

Buffer make_buffer(std::size_t floats) {
  const std::size_t wanted = floats * sizeof(float);
  const std::size_t alignment = wanted >= huge_page ? huge_page : 64;
  const std::size_t bytes = (wanted / alignment + 1) * alignment;
  void* data = std::aligned_alloc(alignment, bytes);
  if (data == nullptr) throw std::bad_alloc();
  if (alignment == huge_page) madvise(data, bytes, MADV_HUGEPAGE);
  return Buffer(static_cast<float*>(data));
}

Scratch::Scratch(std::size_t floats) : floats_(floats) {
  const std::lock_guard lock(shelf().mutex);
  auto& free = shelf().free;
  for (auto it = free.begin(); it != free.end(); ++it) {
    if (it->first < floats || it->first > 4 * floats) continue;
    floats_ = it->first;
    buffer_ = std::move(it->second);
    free.erase(it);
    return;
  }
  buffer_ = make_buffer(floats);
}

Scratch::~Scratch() {
  const std::lock_guard lock(shelf().mutex);
  auto& free = shelf().free;
  if (free.size() >= most_kept) free.erase(free.begin());
  free.emplace_back(floats_, std::move(buffer_));
}

}  // namespace cvf::kernels
