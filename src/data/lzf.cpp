#include "data/lzf.hpp"

#include <hdf5.h>

namespace cvf::data::lzf {
namespace {

constexpr std::size_t longest_run = 264;  // bytes that one reference of three bytes can stand for
constexpr std::size_t largest_chunk = std::size_t{1} << 30;

// Copies byte by byte: source and target overlap when a run repeats itself.
void repeat(std::uint8_t* target, std::size_t distance, std::size_t length) {
  const std::uint8_t* source = target - distance;
  for (std::size_t i = 0; i < length; ++i) target[i] = source[i];
}

// libhdf5 owns the buffer by malloc: it is swapped for a larger one, and 0 reports failure.
std::size_t filter(unsigned flags, std::size_t parameter_count, const unsigned* parameters, std::size_t bytes,
                   std::size_t* buffer_bytes, void** buffer) {
  if ((flags & H5Z_FLAG_REVERSE) == 0 || parameter_count < 3) return 0;
  const std::size_t expected = parameters[2];
  if (expected == 0 || expected > largest_chunk || expected / longest_run > bytes) return 0;
  auto* unpacked = static_cast<std::uint8_t*>(H5allocate_memory(expected, false));
  if (unpacked == nullptr) return 0;
  const auto produced = decode({static_cast<const std::uint8_t*>(*buffer), bytes}, {unpacked, expected});
  if (produced != expected) {       // libhdf5 would read past the end of a short chunk
    (void)H5free_memory(unpacked);  // the failure to report is that of the chunk
    return 0;
  }
  if (H5free_memory(*buffer) < 0) return 0;
  *buffer = unpacked;
  *buffer_bytes = expected;
  return expected;
}

}  // namespace

// A control byte below 32 announces that many literals plus one. Otherwise its upper three bits are a length
// (7: the next byte adds to it) and its lower five, with the next byte, a distance back into what was already
// unpacked.
std::optional<std::size_t> decode(std::span<const std::uint8_t> packed, std::span<std::uint8_t> unpacked) {
  std::size_t in = 0, out = 0;
  while (in < packed.size()) {
    const std::size_t control = packed[in++];
    if (control < 32) {
      const std::size_t length = control + 1;
      if (length > packed.size() - in || length > unpacked.size() - out) return std::nullopt;
      for (std::size_t i = 0; i < length; ++i) unpacked[out++] = packed[in++];
      continue;
    }
    std::size_t length = control >> 5;
    if (length == 7) {
      if (in >= packed.size()) return std::nullopt;
      length += packed[in++];
    }
    length += 2;
    if (in >= packed.size()) return std::nullopt;
    const std::size_t distance = ((control & 31) << 8) + packed[in++] + 1;
    if (distance > out || length > unpacked.size() - out) return std::nullopt;
    repeat(unpacked.data() + out, distance, length);
    out += length;
  }
  return out;
}

bool register_filter() {
  static const H5Z_class2_t lzf{H5Z_CLASS_T_VERS, filter_id, 0, 1, "lzf", nullptr, nullptr, filter};
  return H5Zregister(&lzf) >= 0;
}

}  // namespace cvf::data::lzf
