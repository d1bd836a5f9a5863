// Protocol buffers, as far as writing goes: a message is its fields one after the other, each with a number.
// An ONNX file is one such message, so nothing else is needed to make it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cvf::onnx {

class Message {
 public:
  Message& number(int field, std::int64_t value);    // int32, int64 and enumerations
  Message& real(int field, float value);             // float
  Message& text(int field, std::string_view bytes);  // string and bytes
  Message& part(int field, const Message& message) { return text(field, message.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  void key(int field, unsigned kind) { varint(static_cast<std::uint64_t>(field) << 3 | kind); }
  void varint(std::uint64_t value);

  std::string bytes_;
};

}  // namespace cvf::onnx
