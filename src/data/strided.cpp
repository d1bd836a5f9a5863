#include "data/strided.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace cvf::data {
namespace {

constexpr std::size_t tile = 16;  // floats in a cache line: a tile reads and writes whole lines

void copy_line(const Loop& loop, const float* source, float* target) {
  if (loop.source_stride == 1 && loop.target_stride == 1) {
    std::memcpy(target, source, loop.extent * sizeof(float));
    return;
  }
  for (std::size_t i = 0; i < loop.extent; ++i)
    target[i * loop.target_stride] = source[i * loop.source_stride];
}

void copy_plane(const Loop& outer, const Loop& inner, const float* source, float* target) {
  for (std::size_t i = 0; i < outer.extent; i += tile) {
    for (std::size_t j = 0; j < inner.extent; j += tile) {
      const std::size_t i_end = std::min(outer.extent, i + tile);
      const Loop line{std::min(inner.extent - j, tile), inner.source_stride, inner.target_stride};
      for (std::size_t row = i; row < i_end; ++row) {
        copy_line(line, source + row * outer.source_stride + j * inner.source_stride,
                  target + row * outer.target_stride + j * inner.target_stride);
      }
    }
  }
}

void copy_nested(const Loop* begin, const Loop* end, const float* source, float* target) {
  if (end - begin == 1) return copy_line(*begin, source, target);
  if (end - begin == 2) return copy_plane(begin[0], begin[1], source, target);
  for (std::size_t i = 0; i < begin->extent; ++i) {
    copy_nested(begin + 1, end, source + i * begin->source_stride, target + i * begin->target_stride);
  }
}

}  // namespace

bool same_order(const std::vector<Loop>& loops) {
  return std::all_of(loops.begin(), loops.end(), [](const Loop& loop) {
    return loop.extent == 1 || loop.source_stride == loop.target_stride;
  });
}

void copy(std::vector<Loop> loops, const float* source, float* target) {
  std::erase_if(loops, [](const Loop& loop) { return loop.extent == 1; });
  if (loops.empty()) {
    *target = *source;
    return;
  }
  // Outermost the longest strides of the target; innermost its shortest, and before it the source's shortest.
  std::sort(loops.begin(), loops.end(),
            [](const Loop& a, const Loop& b) { return a.target_stride > b.target_stride; });
  const auto reach = [](const Loop& loop) { return loop.source_stride == 0 ? SIZE_MAX : loop.source_stride; };
  const auto fastest = std::min_element(loops.begin(), loops.end() - 1,
                                        [&](const Loop& a, const Loop& b) { return reach(a) < reach(b); });
  if (loops.size() > 2 && reach(*fastest) < reach(loops.back()))
    std::rotate(fastest, fastest + 1, loops.end() - 1);
  copy_nested(loops.data(), loops.data() + loops.size(), source, target);
}

}  // namespace cvf::data
