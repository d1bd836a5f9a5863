#include "data/view.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "data/array.hpp"

namespace cvf::data {
namespace {

/// One axis of a copy between two orders of the same axes; a source stride of 0 repeats the same values.
struct Loop {
  std::size_t extent, source_stride, target_stride;
};

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

/// True when both sides lie in memory in the same way, gap for gap.
bool same_order(const std::vector<Loop>& loops) {
  return std::all_of(loops.begin(), loops.end(), [](const Loop& loop) {
    return loop.extent == 1 || loop.source_stride == loop.target_stride;
  });
}

/// Copies every combination of loop indices. Tiled over the two fastest axes, so that a transposition reads
/// and writes whole cache lines.
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

/// A block of the array and the way from it into the frames.
struct Plan {
  Extents start, count;
  std::vector<Loop> loops;
  std::size_t values = 1;
};

std::size_t target_stride(char axis, const FrameShape& shape) {
  return axis == 't' ? shape.size() : shape.stride(axis);  // n and single axes have one entry
}

Plan plan(const View& view, std::size_t sample, std::size_t first, std::size_t count,
          const FrameShape& shape) {
  const Extents& extents = view.array->extents();
  Plan made{Extents(extents.size(), 0), extents, {}, 1};
  std::size_t channel_stride = 1;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    const char letter = view.axes[axis];
    if (letter == 'n') made.start[axis] = sample, made.count[axis] = 1;
    if (letter == 't') made.start[axis] = first, made.count[axis] = count;
    const std::size_t stride = letter == 'c' ? channel_stride : target_stride(letter, shape);
    if (letter == 'c') channel_stride *= extents[axis];
    made.loops.push_back({made.count[axis], made.values, stride});
    made.values *= made.count[axis];
  }
  return made;
}

// Axes of the frame that the array lacks or has one entry of: the same values again.
void repeat_missing(Plan& made, const View& view, std::size_t count, const FrameShape& shape) {
  const auto repeat = [&](char axis, std::size_t wanted) {
    if (wanted > 1 && extent_of(view.array->extents(), view.axes, axis) == 1) {
      made.loops.push_back({wanted, 0, target_stride(axis, shape)});
    }
  };
  if (view.axes.find('t') == std::string::npos) repeat('t', count);
  for (const auto& [axis, size] : shape.axes) repeat(axis, size);
}

void read_piece(const View& view, std::size_t sample, std::size_t first, std::size_t count,
                const FrameShape& shape, float* out) {
  Plan made = plan(view, sample, first, count, shape);
  repeat_missing(made, view, count, shape);
  if (same_order(made.loops)) return view.array->read(made.start, made.count, out);
  thread_local std::vector<float> buffer;
  buffer.resize(made.values);
  view.array->read(made.start, made.count, buffer.data());
  copy(std::move(made.loops), buffer.data(), out);
}

bool lies_as_asked(const View& view, const FrameShape& shape) {
  Plan made = plan(view, 0, 0, 2, shape);
  repeat_missing(made, view, 2, shape);
  return same_order(made.loops);
}

void read_frames(const View& view, std::size_t sample, std::size_t first, std::size_t count,
                 const FrameShape& shape, float* out) {
  std::size_t own = extent_of(view.array->extents(), view.axes, 'c');
  for (const char axis : grid_axes) own *= extent_of(view.array->extents(), view.axes, axis);
  const bool has_time = view.axes.find('t') != std::string::npos;
  const std::size_t most =
      has_time && !lies_as_asked(view, shape) ? std::max<std::size_t>(1, most_buffered / own) : count;
  for (std::size_t done = 0; done < count; done += most) {
    read_piece(view, sample, first + done, std::min(most, count - done), shape, out + done * shape.size());
  }
}

}  // namespace

FrameShape::FrameShape(const StateSpec& state, std::size_t channels_of_frame) : channels(channels_of_frame) {
  for (const auto& axis : state.axes) axes.emplace_back(axis.name.front(), axis.size);
}

std::size_t FrameShape::size() const {
  std::size_t out = channels;
  for (const auto& [letter, entries] : axes) out *= entries;
  return out;
}

std::size_t FrameShape::stride(char axis) const {
  std::size_t out = channels;
  for (auto at = axes.rbegin(); at != axes.rend(); ++at) {
    if (at->first == axis) return out;
    out *= at->second;
  }
  return 0;
}

void read(const View& view, std::size_t sample, std::size_t first, std::size_t count, const FrameShape& shape,
          float* out) {
  out += view.first_channel;
  if (!view.only_frame) return read_frames(view, sample, first, count, shape, out);
  if (*view.only_frame < first || *view.only_frame - first >= count) return;
  read_piece(view, sample, 0, 1, shape, out + (*view.only_frame - first) * shape.size());
}

}  // namespace cvf::data
