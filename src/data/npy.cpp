// Values of an NPY array: blocks by file offset, so that an array larger than memory is no trouble.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/errors.hpp"
#include "data/numpy.hpp"

namespace cvf::data::npy {
namespace {

constexpr std::size_t largest_stretch = std::size_t{4} << 20;  // bytes read at once where a block has gaps
constexpr std::size_t most_small_values = std::size_t{1} << 24;

template <class Number>
Number load(const std::uint8_t* place, bool big_endian) {
  std::uint8_t bytes[sizeof(Number)];
  std::memcpy(bytes, place, sizeof bytes);
  if (big_endian) std::reverse(bytes, bytes + sizeof bytes);
  Number value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

double half_to_double(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  const double sign = (bits >> 15) != 0 ? -1 : 1;
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

double load_value(const std::uint8_t* place, const Header& type) {
  const bool swap = type.big_endian;
  switch (type.kind) {
    case 'f':
      if (type.bytes == 2) return half_to_double(load<std::uint16_t>(place, swap));
      return type.bytes == 4 ? load<float>(place, swap) : load<double>(place, swap);
    case 'i':
      if (type.bytes == 1) return load<std::int8_t>(place, swap);
      if (type.bytes == 2) return load<std::int16_t>(place, swap);
      return type.bytes == 4 ? load<std::int32_t>(place, swap)
                             : static_cast<double>(load<std::int64_t>(place, swap));
    default:
      if (type.bytes == 1) return *place;
      if (type.bytes == 2) return load<std::uint16_t>(place, swap);
      return type.bytes == 4 ? load<std::uint32_t>(place, swap)
                             : static_cast<double>(load<std::uint64_t>(place, swap));
  }
}

void require_numbers_in(const Header& header, const std::string& name) {
  if (header.is_text()) throw DataError("{}: holds text, not numbers", name);
}

std::size_t small_count(const Header& header, const std::string& name) {
  std::size_t count = 1;
  for (const std::size_t extent : header.extents) count *= extent;
  if (count > most_small_values / std::max<std::size_t>(1, header.bytes / 8))
    throw DataError("{}: has {} values, too many for coordinates", name, count);
  return count;
}

std::vector<std::uint8_t> raw_values(const Bytes& bytes, const Header& header, std::size_t count) {
  std::vector<std::uint8_t> raw(count * header.bytes);
  bytes.read(header.data_offset, raw.size(), raw.data());
  return raw;
}

void append_utf8(std::string& out, char32_t point) {
  const auto byte = [&out](char32_t value) { out += static_cast<char>(value); };
  if (point < 0x80) return byte(point);
  if (point < 0x800) return byte(0xc0 | point >> 6), byte(0x80 | (point & 0x3f));
  byte(point < 0x10000 ? 0xe0 | point >> 12 : 0xf0 | (point >> 18 & 7));
  if (point >= 0x10000) byte(0x80 | (point >> 12 & 0x3f));
  byte(0x80 | (point >> 6 & 0x3f)), byte(0x80 | (point & 0x3f));
}

class NpyArray : public Array {
 public:
  NpyArray(BytesPointer bytes, const Header& header, std::string name)
      : bytes_(std::move(bytes)), header_(header), name_(std::move(name)), extents_(header.extents) {
    if (header.fortran_order) std::reverse(extents_.begin(), extents_.end());
    strides_.assign(extents_.size(), 1);
    for (std::size_t axis = extents_.size(); axis-- > 1;)
      strides_[axis - 1] = strides_[axis] * extents_[axis];
  }

  std::string name() const override { return name_; }
  const Extents& extents() const override { return extents_; }

  void read(std::span<const std::size_t> start, std::span<const std::size_t> count,
            float* values) const override {
    std::size_t first = 0;
    for (std::size_t axis = 0; axis < extents_.size(); ++axis) {
      if (start[axis] > extents_[axis] || count[axis] > extents_[axis] - start[axis]) {
        throw DataError("{}: a block outside the array was asked for", name_);
      }
      if (count[axis] == 0) return;
      first += start[axis] * strides_[axis];
    }
    const float* end = read_axes(0, first, count, values);
    if (header_.kind == 'f' && header_.bytes > sizeof(float)) require_in_range(start, count, {values, end});
  }

 private:
  // Refuses what became infinite only because float32 ends before it.
  void require_in_range(std::span<const std::size_t> start, std::span<const std::size_t> count,
                        std::span<const float> values) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isinf(values[i])) continue;
      Extents place(start.begin(), start.end());
      std::size_t left = i, offset = 0;
      for (std::size_t axis = place.size(); axis-- > 0; left /= count[axis]) {
        place[axis] += left % count[axis];
        offset += place[axis] * strides_[axis];
      }
      std::uint8_t raw[sizeof(double)];
      bytes_->read(header_.data_offset + offset * header_.bytes, header_.bytes, raw);
      const double value = load_value(raw, header_);
      if (!std::isfinite(value)) continue;
      if (header_.fortran_order) std::reverse(place.begin(), place.end());
      throw DataError("{}: entry [{}] is {}, beyond the range of float32; rescale the values", name_,
                      fmt::join(place, ", "), value);
    }
  }

  bool is_plain() const { return header_.kind == 'f' && header_.bytes == 4 && !header_.big_endian; }

  // From the first to the last value of a block of the axes from `axis` on.
  std::size_t stretch(std::size_t axis, std::span<const std::size_t> count) const {
    std::size_t values = 1;
    for (; axis < count.size(); ++axis) values += (count[axis] - 1) * strides_[axis];
    return values;
  }

  static std::size_t block(std::size_t axis, std::span<const std::size_t> count) {
    std::size_t values = 1;
    for (; axis < count.size(); ++axis) values *= count[axis];
    return values;
  }

  // Reads a gapless block straight away, a block with small gaps in one stretch, and splits the rest.
  float* read_axes(std::size_t axis, std::size_t first, std::span<const std::size_t> count,
                   float* values) const {
    const std::size_t wanted = block(axis, count), spanned = stretch(axis, count);
    if (wanted == spanned && is_plain()) {
      bytes_->read(header_.data_offset + first * 4, wanted * 4, values);
      return values + wanted;
    }
    if (spanned * header_.bytes <= largest_stretch) return read_stretch(axis, first, spanned, count, values);
    if (axis + 1 == count.size()) return read_long_line(first, wanted, values);
    for (std::size_t i = 0; i < count[axis]; ++i) {
      values = read_axes(axis + 1, first + i * strides_[axis], count, values);
    }
    return values;
  }

  float* read_long_line(std::size_t first, std::size_t wanted, float* values) const {
    const std::size_t most = largest_stretch / header_.bytes;
    for (std::size_t done = 0; done < wanted; done += most) {
      const std::size_t piece = std::min(most, wanted - done);
      values =
          read_stretch(extents_.size() - 1, first + done, piece, Extents(extents_.size(), piece), values);
    }
    return values;
  }

  float* read_stretch(std::size_t axis, std::size_t first, std::size_t spanned,
                      std::span<const std::size_t> count, float* values) const {
    thread_local std::vector<std::uint8_t> raw;
    raw.resize(spanned * header_.bytes);
    bytes_->read(header_.data_offset + first * header_.bytes, raw.size(), raw.data());
    return gather(axis, raw.data(), count, values);
  }

  float* gather(std::size_t axis, const std::uint8_t* place, std::span<const std::size_t> count,
                float* values) const {
    if (axis == count.size()) {
      *values = static_cast<float>(load_value(place, header_));
      return values + 1;
    }
    for (std::size_t i = 0; i < count[axis]; ++i) {
      values = gather(axis + 1, place + i * strides_[axis] * header_.bytes, count, values);
    }
    return values;
  }

  BytesPointer bytes_;
  Header header_;
  std::string name_;
  Extents extents_, strides_;
};

}  // namespace

ArrayPointer open_array(BytesPointer bytes, const Header& header, const std::string& name) {
  require_numbers_in(header, name);
  return std::make_shared<NpyArray>(std::move(bytes), header, name);
}

std::vector<double> read_all(const Bytes& bytes, const Header& header, const std::string& name) {
  require_numbers_in(header, name);
  const auto raw = raw_values(bytes, header, small_count(header, name));
  std::vector<double> values(raw.size() / header.bytes);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = load_value(raw.data() + i * header.bytes, header);
  return values;
}

std::vector<std::string> read_texts(const Bytes& bytes, const Header& header, const std::string& name) {
  if (!header.is_text()) throw DataError("{}: holds numbers, not text", name);
  const auto raw = raw_values(bytes, header, small_count(header, name));
  std::vector<std::string> texts(raw.size() / header.bytes);
  if (header.kind == 'S') {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const char* text = reinterpret_cast<const char*>(raw.data()) + i * header.bytes;
      texts[i].assign(text, strnlen(text, header.bytes));
    }
    return texts;
  }
  for (std::size_t i = 0; i < raw.size(); i += sizeof(char32_t)) {
    const auto point = load<std::uint32_t>(raw.data() + i, header.big_endian);
    if (point > 0x10ffff) throw DataError("{}: holds {}, which is no character", name, point);
    if (point != 0) append_utf8(texts[i / header.bytes], point);
  }
  return texts;
}

}  // namespace cvf::data::npy
