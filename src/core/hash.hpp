// SHA-256: names a content, finds duplicates, detects a flipped bit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cvf {

using Digest = std::array<std::uint8_t, 32>;

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text);
  Digest finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string hex(const Digest& digest);
Digest sha256(std::string_view text);
Digest sha256_of_file(const std::string& path);

// CRC-32C (Castagnoli): the checksum of TFRecord files and of journals.

std::uint32_t crc32c(std::string_view bytes);

inline std::uint32_t crc32c(std::span<const std::byte> bytes) {
  return crc32c(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace cvf
