#include "data/npz_writer.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace cvf::data {
namespace {

constexpr unsigned version = 45;  // of the zip format: the first one with 64-bit sizes
constexpr std::uint32_t in_extra = 0xffffffff;
constexpr std::size_t checksum_place = 14;                 // in a member's header
constexpr std::size_t alignment = 64, before_header = 10;  // of NPY: magic, version, length
constexpr std::uint16_t first_of_january = 33;             // 1980-01-01: equal bytes for equal data

class Record {
 public:
  template <class Number>
  Record& operator<<(Number value) {
    for (std::size_t i = 0; i < sizeof value; ++i)
      bytes_.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i)));
    return *this;
  }
  Record& operator<<(const std::string& text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// "{'descr': '<f4', ...}" behind its magic, padded so that the values begin at a multiple of 64.
std::string npy_header(const std::string& type, const Extents& extents) {
  std::string shape;
  for (const std::size_t extent : extents) shape += fmt::format("{},", extent);
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
  text.append(alignment - (before_header + text.size() + 1) % alignment, ' ');
  text += '\n';
  Record out;
  out << std::string("\x93NUMPY\x01") << std::uint8_t{0} << static_cast<std::uint16_t>(text.size()) << text;
  return out.bytes();
}

std::u32string code_points(const std::string& utf8) {
  std::u32string out;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto byte = static_cast<unsigned char>(utf8[i++]);
    const int more = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc0 ? 1 : 0;
    char32_t point = more == 0 ? byte : byte & (0x3f >> more);
    for (int k = 0; k < more && i < utf8.size(); ++k) point = point << 6 | (utf8[i++] & 0x3f);
    out += point;
  }
  return out;
}

std::size_t product(const Extents& extents) {
  std::size_t out = 1;
  for (const std::size_t extent : extents) out *= extent;
  return out;
}

}  // namespace

NpzWriter::NpzWriter(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (!file_) throw DataError("{}: cannot be written: {}", path_, std::strerror(errno));
}

void NpzWriter::put(const void* bytes, std::size_t count) {
  if (count > 0 && std::fwrite(bytes, 1, count, file_.get()) != count)
    throw DataError("{}: cannot be written: {}", path_, std::strerror(errno));
  offset_ += count;
}

void NpzWriter::start(const std::string& name, const std::string& type, const Extents& extents,
                      std::size_t bytes) {
  const std::string header = npy_header(type, extents), member = name + ".npy";
  const std::uint64_t size = header.size() + bytes;
  entries_.push_back({member, offset_, size, static_cast<std::uint32_t>(crc32(0, nullptr, 0))});
  Record local;
  local << std::uint32_t{0x04034b50} << static_cast<std::uint16_t>(version) << std::uint32_t{0}
        << std::uint16_t{0} << first_of_january << std::uint32_t{0} << in_extra << in_extra
        << static_cast<std::uint16_t>(member.size()) << std::uint16_t{20} << member << std::uint16_t{1}
        << std::uint16_t{16} << size << size;
  put(local.bytes().data(), local.bytes().size());
  left_ = size;
  content(header.data(), header.size());
}

void NpzWriter::content(const void* bytes, std::size_t count) {
  if (count > left_) throw DataError("{}: more values came than {} has", path_, entries_.back().name);
  auto& entry = entries_.back();
  entry.checksum =
      static_cast<std::uint32_t>(crc32_z(entry.checksum, static_cast<const unsigned char*>(bytes), count));
  put(bytes, count);
  left_ -= count;
  if (left_ == 0) finish_entry();
}

// The checksum stands before what it sums up.
void NpzWriter::finish_entry() {
  Record checksum;
  checksum << entries_.back().checksum;
  const auto place = static_cast<off_t>(entries_.back().offset + checksum_place);
  const bool done = fseeko(file_.get(), place, SEEK_SET) == 0 &&
                    std::fwrite(checksum.bytes().data(), 1, 4, file_.get()) == 4 &&
                    fseeko(file_.get(), 0, SEEK_END) == 0;
  if (!done) throw DataError("{}: cannot be written: {}", path_, std::strerror(errno));
}

void NpzWriter::begin(const std::string& name, const Extents& extents) {
  start(name, "<f4", extents, product(extents) * sizeof(float));
}

void NpzWriter::append(std::span<const float> values) {
  content(values.data(), values.size_bytes());
}

void NpzWriter::add(const std::string& name, const Extents& extents, std::span<const double> values) {
  start(name, "<f8", extents, product(extents) * sizeof(double));
  content(values.data(), values.size_bytes());
}

void NpzWriter::add(const std::string& name, const std::vector<std::string>& texts) {
  add_texts(name, {texts.size()}, texts);
}

void NpzWriter::add(const std::string& name, const std::string& text) {
  add_texts(name, {}, {text});
}

void NpzWriter::add_texts(const std::string& name, const Extents& extents,
                          const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  std::vector<std::u32string> decoded;
  for (const auto& text : texts) {
    decoded.push_back(code_points(text));
    longest = std::max(longest, decoded.back().size());
  }
  start(name, fmt::format("<U{}", longest), extents, texts.size() * longest * sizeof(char32_t));
  for (auto& text : decoded) {
    text.resize(longest);
    content(text.data(), longest * sizeof(char32_t));
  }
}

void NpzWriter::close() {
  const std::uint64_t directory = offset_;
  for (const auto& e : entries_) {
    Record record;
    record << std::uint32_t{0x02014b50} << static_cast<std::uint16_t>(version)
           << static_cast<std::uint16_t>(version) << std::uint32_t{0} << std::uint16_t{0} << first_of_january
           << e.checksum << in_extra << in_extra << static_cast<std::uint16_t>(e.name.size())
           << std::uint16_t{28} << std::uint16_t{0} << std::uint16_t{0} << std::uint16_t{0}
           << std::uint32_t{0} << in_extra << e.name << std::uint16_t{1} << std::uint16_t{24} << e.size
           << e.size << e.offset;
    put(record.bytes().data(), record.bytes().size());
  }
  const std::uint64_t size = offset_ - directory, end64 = offset_, count = entries_.size();
  Record end;
  end << std::uint32_t{0x06064b50} << std::uint64_t{44} << static_cast<std::uint16_t>(version)
      << static_cast<std::uint16_t>(version) << std::uint32_t{0} << std::uint32_t{0} << count << count << size
      << directory;
  end << std::uint32_t{0x07064b50} << std::uint32_t{0} << end64 << std::uint32_t{1};
  end << std::uint32_t{0x06054b50} << std::uint32_t{0} << static_cast<std::uint16_t>(count)
      << static_cast<std::uint16_t>(count) << in_extra << in_extra << std::uint16_t{0};
  put(end.bytes().data(), end.bytes().size());
  if (std::fflush(file_.get()) != 0)
    throw DataError("{}: cannot be written: {}", path_, std::strerror(errno));
}

}  // namespace cvf::data
