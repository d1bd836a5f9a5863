// NPY and zip files as strings, made without the code that reads them.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace cvf::testing_support {

/// An NPY file of version 1: `type` as NumPy writes it ("<f4"), `shape` as Python does ("(2, 3)").
inline std::string npy(const std::string& type, const std::string& shape, const std::string& values,
                       bool fortran = false) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  const auto length = static_cast<unsigned>(header.size());
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(length & 255) +
         static_cast<char>(length >> 8) + header + values;
}

template <class Number>
std::string raw(const std::vector<Number>& values, bool swapped = false) {
  std::string bytes(values.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  for (std::size_t i = 0; swapped && i < bytes.size(); i += sizeof(Number)) {
    std::reverse(bytes.begin() + static_cast<long>(i), bytes.begin() + static_cast<long>(i + sizeof(Number)));
  }
  return bytes;
}

template <class Number>
std::string counting(std::size_t count, bool swapped = false) {
  std::vector<Number> values(count);
  std::iota(values.begin(), values.end(), Number{0});
  return raw(values, swapped);
}

inline std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += i < 8 ? static_cast<char>(value >> (8 * i) & 255) : '\0';
  return text;
}

inline std::string deflated(const std::string& content) {
  std::string packed(compressBound(content.size()) + 16, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// A zip archive; `wide` writes the sizes into zip64 extra fields, as archives over 4 GB have them.
inline std::string zip(const std::vector<std::pair<std::string, std::string>>& members, bool packed,
                       bool wide = false) {
  std::string archive, directory;
  for (const auto& [name, content] : members) {
    const std::string body = packed ? deflated(content) : content;
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
    const std::string sizes =
        wide ? std::string(8, '\xff') : little(body.size(), 4) + little(content.size(), 4);
    const std::string extra =
        wide ? little(1, 2) + little(16, 2) + little(content.size(), 8) + little(body.size(), 8) : "";
    const std::string common = little(0, 2) + little(packed ? 8 : 0, 2) + little(0, 4) + little(sum, 4) +
                               sizes + little(name.size(), 2) + little(extra.size(), 2);
    directory += "PK\x01\x02" + little(20, 2) + little(20, 2) + common + little(0, 10) +
                 little(archive.size(), 4) + name + extra;
    archive += "PK\x03\x04" + little(20, 2) + common + name + extra + body;
  }
  return archive + directory + "PK\x05\x06" + little(0, 4) + little(members.size(), 2) +
         little(members.size(), 2) + little(directory.size(), 4) + little(archive.size(), 4) + little(0, 2);
}

}  // namespace cvf::testing_support
