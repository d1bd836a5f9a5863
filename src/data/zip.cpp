#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <span>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/machine.hpp"
#include "core/text.hpp"
#include "data/numpy.hpp"

namespace cvf::data::zip {
namespace {

constexpr std::uint32_t end_mark = 0x06054b50, end64_mark = 0x06064b50, locator_mark = 0x07064b50;
constexpr std::uint32_t entry_mark = 0x02014b50, local_mark = 0x04034b50;
constexpr std::size_t end_size = 22, end64_size = 56, locator_size = 20, entry_size = 46, local_size = 30;
constexpr std::size_t longest_comment = 65535;
constexpr std::size_t largest_directory = std::size_t{1} << 26;
// What is unpacked has to fit into memory as a whole, like a chunk of HDF5 (hdf5_checks.cpp), and gets the
// same bound. Beyond it, content may be larger by as much as numbers compress, and no more.
constexpr std::size_t largest_unpacked = std::size_t{1} << 32, free_unpacked = std::size_t{1} << 30;
constexpr std::size_t largest_ratio = 1100;  // deflate cannot do better than 1032 to 1
constexpr std::size_t ratio_of_numbers = 100;

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

constexpr std::size_t piece = std::size_t{4} << 20;  // bytes between two checks for a signal
constexpr const char* interrupted = "no file was opened";

/// Unpacks a deflated stream piece by piece.
class Inflater {
 public:
  Inflater(const Bytes& packed, const std::string& name)
      : packed_(packed), name_(name), input_(std::min(packed.size(), std::size_t{1} << 16)) {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw DataError("{}: zlib cannot start", name_);
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Fills `out`; a stream that is damaged or ends before is a DataError.
  void read(std::span<std::uint8_t> out) {
    stream_.next_out = out.data();
    stream_.avail_out = static_cast<uInt>(out.size());
    while (stream_.avail_out > 0) {
      if (stream_.avail_in == 0) refill();
      require(state_ == Z_OK);
      state_ = inflate(&stream_, Z_NO_FLUSH);
    }
  }

  /// The stream has to end here.
  void finish() {
    std::uint8_t beyond = 0;
    stream_.next_out = &beyond;
    stream_.avail_out = 1;
    while (state_ == Z_OK) {
      if (stream_.avail_in == 0) refill();
      state_ = inflate(&stream_, Z_NO_FLUSH);
    }
    require(state_ == Z_STREAM_END && stream_.avail_out == 1);
  }

 private:
  void refill() {
    const std::size_t count = std::min(input_.size(), packed_.size() - offset_);
    packed_.read(offset_, count, input_.data());
    offset_ += count;
    stream_.next_in = input_.data();
    stream_.avail_in = static_cast<uInt>(count);
  }
  void require(bool sound) const {
    if (!sound) throw DataError("{}: is damaged: it does not unpack", name_);
  }

  const Bytes& packed_;
  const std::string& name_;
  std::vector<std::uint8_t> input_;
  std::size_t offset_ = 0;
  z_stream stream_{};
  int state_ = Z_OK;
};

/// Compares content with the checksum of its member, piece by piece.
class Checksum {
 public:
  void add(std::span<const std::uint8_t> content) { sum_ = crc32_z(sum_, content.data(), content.size()); }
  void require(std::uint32_t wanted, const std::string& name) const {
    if (sum_ == wanted) return;
    throw DataError(
        "{}: is damaged: its content does not match its checksum (CRC-32 {:08x}, the archive states {:08x}); "
        "copy or write the file again",
        name, sum_, wanted);
  }

 private:
  unsigned long sum_ = crc32_z(0, nullptr, 0);
};

void require_checksum(const Bytes& content, std::uint32_t wanted, const std::string& name) {
  Checksum sum;
  std::vector<std::uint8_t> buffer(std::min(piece, content.size()));
  for (std::size_t done = 0; done < content.size(); done += buffer.size()) {
    if (done > 0) interrupt::throw_if_requested(interrupted);
    buffer.resize(std::min(buffer.size(), content.size() - done));
    content.read(done, buffer.size(), buffer.data());
    sum.add(buffer);
  }
  sum.require(wanted, name);
}

bool unpacks_to_too_much(const Member& member) {
  const std::size_t ratio = member.size > free_unpacked ? ratio_of_numbers : largest_ratio;
  return member.size > largest_unpacked || member.size / ratio > member.packed;
}

BytesPointer unpacked(const Bytes& packed, const Member& member, const std::string& name) {
  Inflater inflater(packed, name);
  Checksum sum;
  const auto size = static_cast<double>(member.size);
  if (memory::exceeds(size))
    throw DataError("{}: its {} {} to be unpacked", name, memory::words(size), memory::shortage(size));
  std::vector<std::uint8_t> content;
  content.reserve(member.size);
  while (content.size() < member.size) {
    const std::size_t done = content.size();
    if (done > 0) interrupt::throw_if_requested(interrupted);
    content.resize(std::min(done + piece, member.size));
    const auto next = std::span(content).subspan(done);
    inflater.read(next);
    sum.add(next);
  }
  inflater.finish();
  sum.require(member.checksum, name);
  return memory_bytes(std::move(content), name);
}

/// Content that is unpacked, and compared with its checksum as a whole, before the first of it is returned.
class Content : public Bytes {
 public:
  Content(BytesPointer packed, const Member& member, std::string name)
      : content_(std::move(packed)), member_(member), name_(std::move(name)) {}

  std::size_t size() const override { return member_.size; }
  void read(std::size_t offset, std::size_t count, void* target) const override {
    if (!checked_) check();
    content_->read(offset, count, target);
  }

 private:
  void check() const {
    const std::lock_guard lock(mutex_);
    if (checked_) return;
    if (member_.method == 0)
      require_checksum(*content_, member_.checksum, name_);
    else
      content_ = unpacked(*content_, member_, name_);
    checked_ = true;
  }

  mutable BytesPointer content_;
  Member member_;
  std::string name_;
  mutable std::mutex mutex_;
  mutable std::atomic<bool> checked_ = false;
};

std::string full_name(const Member& member, const std::string& file) {
  return fmt::format("{}: '{}'", file, member.name);
}

// The bytes as they lie in the archive.
BytesPointer packed_bytes(BytesPointer archive, const Member& member, const std::string& name) {
  if (member.encrypted) throw DataError("{}: is encrypted", name);
  if (member.method != 0 && member.method != 8)
    throw DataError("{}: is packed with zip method {}, known are 0 and 8", name, member.method);
  if (member.method == 0 && member.packed != member.size)
    throw DataError("{}: is stored, but {} bytes are not {}", name, member.packed, member.size);
  const auto local = stretch(*archive, member.header_offset, local_size);
  if (number(local.data(), 4) != local_mark) throw DataError("{}: its zip header is damaged", name);
  const std::size_t begin =
      member.header_offset + local_size + number(local.data() + 26, 2) + number(local.data() + 28, 2);
  return part_of(std::move(archive), begin, member.packed, name);
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

BytesPointer head(BytesPointer archive, const Member& member, std::size_t most, const std::string& file) {
  const std::string name = full_name(member, file);
  const auto packed = packed_bytes(std::move(archive), member, name);
  std::vector<std::uint8_t> first(std::min(most, member.size));
  if (member.method == 0)
    packed->read(0, first.size(), first.data());
  else
    Inflater(*packed, name).read(first);
  return memory_bytes(std::move(first), name);
}

BytesPointer open(BytesPointer archive, const Member& member, const std::string& file) {
  const std::string name = full_name(member, file);
  if (member.method == 8 && unpacks_to_too_much(member)) {
    throw DataError("{}: unpacks from {} to {}, which is too much; save it unpacked (numpy.savez)", name,
                    text::bytes(member.packed), text::bytes(member.size));
  }
  return std::make_shared<Content>(packed_bytes(std::move(archive), member, name), member, name);
}

}  // namespace cvf::data::zip
