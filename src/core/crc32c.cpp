#include "core/crc32c.hpp"

#include <array>

namespace cvf {
namespace {

constexpr std::uint32_t polynomial = 0x82F63B78;  // reflected

constexpr std::array<std::uint32_t, 256> table = [] {
  std::array<std::uint32_t, 256> out{};
  for (std::uint32_t byte = 0; byte < out.size(); ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? polynomial : 0);
    out[byte] = value;
  }
  return out;
}();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t value = ~std::uint32_t{0};
  for (const char c : bytes) value = (value >> 8) ^ table[(value ^ static_cast<std::uint8_t>(c)) & 0xFF];
  return ~value;
}

}  // namespace cvf
