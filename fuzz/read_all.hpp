// Opens a file as a program would, and reads times, scalars and the first and last frame of the first sample.
#pragma once

#include <string>
#include <vector>

#include "core/errors.hpp"
#include "data/source.hpp"

namespace cvf::fuzz {

inline void read_all(const std::string& path, const data::OpenOptions& options) {
  constexpr std::size_t largest = std::size_t{1} << 22;  // values; larger frames are honest, but slow to fuzz
  try {
    const auto source = data::open(path, options);
    const auto& about = source->description();
    source->times(0);
    source->scalars(0);
    if (about.frame_size() > largest) return;
    std::vector<float> frame(about.frame_size());
    source->read(0, 0, 1, frame);
    source->read(about.samples - 1, about.frames.back() - 1, 1, frame);
  } catch (const DataError&) {
    return;  // a refusal is the right answer to nonsense; anything else is a finding
  }
}

}  // namespace cvf::fuzz
