// The members of a zip archive, as NPZ needs them: stored or deflated, with 64-bit sizes.
#pragma once

#include <string>
#include <vector>

#include "data/bytes.hpp"

namespace cvf::data::zip {

struct Member {
  std::string name;
  unsigned method = 0;  // 0 stored, 8 deflated
  std::uint32_t checksum = 0;
  std::size_t packed = 0, size = 0, header_offset = 0;
  bool encrypted = false;
};

/// The central directory; throws a DataError that begins with `file`.
std::vector<Member> list(const Bytes& archive, const std::string& file);

/// The content: a stretch of the archive when stored, unpacked into memory when deflated.
BytesPointer open(BytesPointer archive, const Member& member, const std::string& file);

}  // namespace cvf::data::zip
