// CRC-32C (Castagnoli): the checksum of TFRecord files and of journals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace cvf {

std::uint32_t crc32c(std::string_view bytes);

inline std::uint32_t crc32c(std::span<const std::byte> bytes) {
  return crc32c(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace cvf
