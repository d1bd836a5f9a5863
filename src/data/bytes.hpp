// Bytes that can be read at any place: a stretch of a file, or memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cvf::data {

class Bytes {
 public:
  virtual ~Bytes() = default;
  virtual std::size_t size() const = 0;
  /// Throws a DataError when the stretch does not lie inside. Safe from any thread.
  virtual void read(std::size_t offset, std::size_t count, void* target) const = 0;
};

using BytesPointer = std::shared_ptr<const Bytes>;

BytesPointer file_bytes(const std::string& file);
BytesPointer memory_bytes(std::vector<std::uint8_t> content, std::string name);

/// A stretch of other bytes; throws when it does not lie inside. `name` is for sentences.
BytesPointer part_of(BytesPointer whole, std::size_t offset, std::size_t count, const std::string& name);

}  // namespace cvf::data
