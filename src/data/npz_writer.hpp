// Writes an NPZ: arrays of NumPy, stored in a zip archive without compression. An array may be larger than
// memory.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/array.hpp"

namespace cvf::data {

class NpzWriter {
 public:
  explicit NpzWriter(const std::string& path);  // truncates; a failure anywhere is a DataError

  /// A float32 array. Its values follow by `append`, in as many pieces as suit, before anything else is
  /// added.
  void begin(const std::string& name, const Extents& extents);
  void append(std::span<const float> values);

  void add(const std::string& name, const Extents& extents, std::span<const double> values);
  void add(const std::string& name, const std::vector<std::string>& texts);
  void add(const std::string& name, const std::string& text);  // an array without axes

  /// The archive's directory. Without it the file is no archive.
  void close();

 private:
  struct Entry {
    std::string name;
    std::uint64_t offset, size;  // of its header in the file; of its content
    std::uint32_t checksum;
  };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void start(const std::string& name, const std::string& type, const Extents& extents, std::size_t bytes);
  void content(const void* bytes, std::size_t count);
  void put(const void* bytes, std::size_t count);
  void finish_entry();
  void add_texts(const std::string& name, const Extents& extents, const std::vector<std::string>& texts);

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t offset_ = 0;
  std::uint64_t left_ = 0;  // bytes of the entry that are still to come
  std::vector<Entry> entries_;
};

}  // namespace cvf::data
