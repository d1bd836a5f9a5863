#include "onnx/protobuf.hpp"

#include <bit>

namespace cvf::onnx {
namespace {

// How the bytes behind a field's key are to be read.
constexpr unsigned as_varint = 0, as_length = 2, as_four_bytes = 5;

}  // namespace

void Message::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
}

Message& Message::number(int field, std::int64_t value) {
  key(field, as_varint);
  varint(static_cast<std::uint64_t>(value));  // negative ones take ten bytes
  return *this;
}

Message& Message::real(int field, float value) {
  key(field, as_four_bytes);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) bytes_ += static_cast<char>(bits >> shift);
  return *this;
}

Message& Message::text(int field, std::string_view bytes) {
  key(field, as_length);
  varint(bytes.size());
  bytes_ += bytes;
  return *this;
}

}  // namespace cvf::onnx
