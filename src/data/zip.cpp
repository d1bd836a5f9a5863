#include <zlib.h>

#include <algorithm>
#include <optional>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "data/numpy.hpp"

namespace cvf::data::zip {
namespace {

constexpr std::uint32_t end_mark = 0x06054b50, end64_mark = 0x06064b50, locator_mark = 0x07064b50;
constexpr std::uint32_t entry_mark = 0x02014b50, local_mark = 0x04034b50;
constexpr std::size_t end_size = 22, end64_size = 56, locator_size = 20, entry_size = 46, local_size = 30;
constexpr std::size_t longest_comment = 65535;
constexpr std::size_t largest_directory = std::size_t{1} << 26;
constexpr std::size_t largest_unpacked = std::size_t{1} << 32;
constexpr std::size_t largest_ratio = 1100;  // deflate cannot do better than 1032 to 1

/// Little-endian numbers from a buffer that is known to be long enough.
std::uint64_t number(const std::uint8_t* place, int bytes) {
  std::uint64_t value = 0;
  for (int i = bytes; i-- > 0;) value = value << 8 | place[i];
  return value;
}

std::vector<std::uint8_t> stretch(const Bytes& bytes, std::size_t offset, std::size_t count) {
  std::vector<std::uint8_t> content(count);
  bytes.read(offset, count, content.data());
  return content;
}

struct Directory {
  std::size_t entries, size, offset;
};

// The last record of an archive, behind which a comment may hide it.
std::size_t find_end(const Bytes& archive, const std::string& file) {
  const std::size_t reach = std::min(archive.size(), end_size + longest_comment);
  const auto tail = stretch(archive, archive.size() - reach, reach);
  for (std::size_t back = end_size; back <= reach; ++back) {
    if (number(tail.data() + reach - back, 4) == end_mark) return archive.size() - back;
  }
  throw DataError("{}: is a zip archive without its directory: it is cut short", file);
}

std::optional<Directory> find_directory64(const Bytes& archive, std::size_t end) {
  if (end < locator_size) return std::nullopt;
  const auto locator = stretch(archive, end - locator_size, locator_size);
  if (number(locator.data(), 4) != locator_mark) return std::nullopt;
  const auto record = stretch(archive, number(locator.data() + 8, 8), end64_size);
  if (number(record.data(), 4) != end64_mark) return std::nullopt;
  return Directory{number(record.data() + 32, 8), number(record.data() + 40, 8),
                   number(record.data() + 48, 8)};
}

Directory find_directory(const Bytes& archive, const std::string& file) {
  const std::size_t end = find_end(archive, file);
  if (const auto wide = find_directory64(archive, end)) return *wide;
  const auto record = stretch(archive, end, end_size);
  return {number(record.data() + 10, 2), number(record.data() + 12, 4), number(record.data() + 16, 4)};
}

// The extra field with id 1 holds, in this order, those of size, packed size and offset that did not fit 32
// bits.
void widen(Member& member, std::span<const std::uint8_t> extra) {
  while (extra.size() >= 4) {
    const std::size_t id = number(extra.data(), 2), length = number(extra.data() + 2, 2);
    if (length > extra.size() - 4) return;
    auto field = extra.subspan(4, length);
    for (std::size_t* value : {&member.size, &member.packed, &member.header_offset}) {
      if (id != 1 || *value != 0xffffffff || field.size() < 8) continue;
      *value = number(field.data(), 8);
      field = field.subspan(8);
    }
    extra = extra.subspan(4 + length);
  }
}

Member parse_entry(std::span<const std::uint8_t> entry, std::size_t name, std::size_t extra) {
  const std::uint8_t* place = entry.data();
  Member member;
  member.encrypted = (place[8] & 1) != 0;
  member.method = static_cast<unsigned>(number(place + 10, 2));
  member.checksum = static_cast<std::uint32_t>(number(place + 16, 4));
  member.packed = number(place + 20, 4);
  member.size = number(place + 24, 4);
  member.header_offset = number(place + 42, 4);
  member.name.assign(reinterpret_cast<const char*>(place + entry_size), name);
  widen(member, entry.subspan(entry_size + name, extra));
  return member;
}

std::vector<std::uint8_t> inflate_all(std::span<const std::uint8_t> packed, std::size_t size,
                                      const std::string& name) {
  std::vector<std::uint8_t> unpacked(size);
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw DataError("{}: zlib cannot start", name);
  std::size_t in = 0, out = 0;
  int state = Z_OK;
  while (state == Z_OK) {  // in pieces, because zlib counts with 32 bits
    stream.next_in = const_cast<Bytef*>(packed.data() + in);
    stream.avail_in = static_cast<uInt>(std::min<std::size_t>(packed.size() - in, 1U << 30));
    stream.next_out = unpacked.data() + out;
    stream.avail_out = static_cast<uInt>(std::min<std::size_t>(size - out, 1U << 30));
    state = inflate(&stream, Z_NO_FLUSH);
    in = static_cast<std::size_t>(stream.next_in - packed.data());
    out = static_cast<std::size_t>(stream.next_out - unpacked.data());
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || out != size) throw DataError("{}: is damaged: it does not unpack", name);
  return unpacked;
}

void require_checksum(std::span<const std::uint8_t> content, std::uint32_t wanted, const std::string& name) {
  if (crc32_z(0, content.data(), content.size()) != wanted) throw DataError("{}: is damaged: checksum", name);
}

}  // namespace

std::vector<Member> list(const Bytes& archive, const std::string& file) {
  const Directory directory = find_directory(archive, file);
  if (directory.size > largest_directory)
    throw DataError("{}: has a zip directory of {} bytes", file, directory.size);
  const auto bytes = stretch(archive, directory.offset, directory.size);
  std::span<const std::uint8_t> rest(bytes);
  std::vector<Member> members;
  while (rest.size() >= entry_size && number(rest.data(), 4) == entry_mark) {
    const std::size_t name = number(rest.data() + 28, 2), extra = number(rest.data() + 30, 2);
    const std::size_t length = entry_size + name + extra + number(rest.data() + 32, 2);
    if (length > rest.size()) break;
    members.push_back(parse_entry(rest, name, extra));
    rest = rest.subspan(length);
  }
  if (members.size() != directory.entries) throw DataError("{}: its zip directory is damaged", file);
  return members;
}

BytesPointer open(BytesPointer archive, const Member& member, const std::string& file) {
  const std::string name = fmt::format("{}: '{}'", file, member.name);
  if (member.encrypted) throw DataError("{}: is encrypted", name);
  const auto local = stretch(*archive, member.header_offset, local_size);
  if (number(local.data(), 4) != local_mark) throw DataError("{}: its zip header is damaged", name);
  const std::size_t begin =
      member.header_offset + local_size + number(local.data() + 26, 2) + number(local.data() + 28, 2);
  auto packed = part_of(std::move(archive), begin, member.packed, name);
  if (member.method == 0 && member.packed == member.size) return packed;
  if (member.method != 8)
    throw DataError("{}: is packed with zip method {}, known are 0 and 8", name, member.method);
  if (member.size > largest_unpacked || member.size / largest_ratio > member.packed) {
    throw DataError("{}: unpacks to {}, which is too much; save it unpacked (numpy.savez)", name,
                    text::bytes(member.size));
  }
  auto content = inflate_all(stretch(*packed, 0, member.packed), member.size, name);
  require_checksum(content, member.checksum, name);
  return memory_bytes(std::move(content), name);
}

}  // namespace cvf::data::zip
