// NumPy's files. NPY is a Python dictionary as text (parsed, never run), then the values; NPZ is a zip
// archive of such.
#pragma once

#include <string>
#include <vector>

#include "data/array.hpp"
#include "data/bytes.hpp"

namespace cvf::data::npy {

struct Header {
  char kind = 'f';        // f floating, i signed, u unsigned, b boolean, U text, S text in bytes
  std::size_t bytes = 4;  // of one value
  bool big_endian = false;
  bool fortran_order = false;  // the first axis is the fastest
  Extents extents;
  std::size_t data_offset = 0;

  bool is_text() const { return kind == 'U' || kind == 'S'; }
};

constexpr std::size_t largest_head = (std::size_t{1} << 16) + 12;  // bytes before the values, at most

/// Throws a DataError that begins with `name`. The values are known to lie inside `bytes`.
Header parse_header(const Bytes& bytes, const std::string& name);

/// The same where only the first bytes of the array's `size` are there: `largest_head` of them, or all.
Header parse_header(const Bytes& head, std::size_t size, const std::string& name);

/// The values as float. An array in Fortran order appears with its axes reversed, which is the same thing.
ArrayPointer open_array(BytesPointer bytes, const Header& header, const std::string& name);

/// All values of a small array (times, coordinates), in the file's order.
std::vector<double> read_all(const Bytes& bytes, const Header& header, const std::string& name);

/// All texts of a small array of texts, as UTF-8.
std::vector<std::string> read_texts(const Bytes& bytes, const Header& header, const std::string& name);

}  // namespace cvf::data::npy

// The members of a zip archive, as NPZ needs them: stored or deflated, with 64-bit sizes.

namespace cvf::data::zip {

struct Member {
  std::string name;
  unsigned method = 0;  // 0 stored, 8 deflated
  std::uint32_t checksum = 0;
  std::size_t packed = 0, size = 0, header_offset = 0;
  bool encrypted = false;
};

/// The central directory; throws a DataError that begins with `file`.
std::vector<Member> list(const Bytes& archive, const std::string& file);

/// The first bytes of the content, at most `most`, as they lie there: not compared with the checksum.
BytesPointer head(BytesPointer archive, const Member& member, std::size_t most, const std::string& file);

/// The content. The first read compares all of it with its checksum, so that no byte of a damaged member is
/// returned: a stored one in one pass over the file, piece by piece, a deflated one while it is unpacked into
/// memory.
BytesPointer open(BytesPointer archive, const Member& member, const std::string& file);

}  // namespace cvf::data::zip
