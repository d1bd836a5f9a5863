// Any bytes as an LZF stream; the first two give the room. What is unpacked must fit, byte for byte.
#include "data/lzf.hpp"

#include <cstdlib>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  if (count < 2) return 0;
  std::vector<std::uint8_t> room(bytes[0] | bytes[1]
                                                << 8);  // on the heap, where the sanitizer guards both ends
  const std::vector<std::uint8_t> packed(bytes + 2, bytes + count);
  const auto size = cvf::data::lzf::decode(packed, room);
  if (size && *size > room.size()) std::abort();
  return 0;
}
