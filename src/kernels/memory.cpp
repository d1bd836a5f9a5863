#include "kernels/memory.hpp"

#include <sys/mman.h>

#include <mutex>
#include <new>
#include <vector>

namespace cvf::kernels {
namespace {

constexpr std::size_t huge_page = 2u << 20;
constexpr std::size_t most_bytes_kept = 1u << 30;

struct Block {
  float* data;
  std::size_t bytes;
};

struct Shelf {
  std::mutex mutex;
  std::vector<Block> free;  // oldest first
  std::size_t bytes = 0;

  Block take(std::size_t bytes_wanted) {
    const std::lock_guard lock(mutex);
    for (auto it = free.begin(); it != free.end(); ++it) {
      if (it->bytes < bytes_wanted || it->bytes > bytes_wanted + bytes_wanted / 4) continue;
      const Block found = *it;
      free.erase(it);
      bytes -= found.bytes;
      return found;
    }
    return {nullptr, 0};
  }

  void put(Block block) {
    const std::lock_guard lock(mutex);
    free.push_back(block);
    bytes += block.bytes;
    while (bytes > most_bytes_kept) {
      munmap(free.front().data, free.front().bytes);
      bytes -= free.front().bytes;
      free.erase(free.begin());
    }
  }
};

Shelf& shelf() {
  static auto* the = new Shelf;  // never destroyed: tensors may outlive every static
  return *the;
}

Block map(std::size_t bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  if (bytes >= huge_page) madvise(data, bytes, MADV_HUGEPAGE);
  return {static_cast<float*>(data), bytes};
}

}  // namespace

void FreeBuffer::operator()(float* data) const {
  shelf().put({data, bytes});
}

Buffer make_buffer(std::size_t floats) {
  constexpr std::size_t page = 4096;  // whole huge pages would leave a megabyte unused, on average
  const std::size_t bytes = (floats * sizeof(float) / page + 1) * page;
  Block block = shelf().take(bytes);
  if (block.data == nullptr) block = map(bytes);
  return Buffer(block.data, FreeBuffer{block.bytes});
}

}  // namespace cvf::kernels
