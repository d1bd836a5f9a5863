#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/errors.hpp"
#include "data/numpy.hpp"

namespace cvf::data::npy {
namespace {

constexpr std::size_t longest_header = largest_head - 12;
constexpr std::size_t most_axes = 32;
constexpr std::size_t longest_text = 1 << 20;  // characters

/// Reads {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)} and nothing else that Python could say.
class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  Header parse() {
    expect('{');
    while (!accept('}')) {
      parse_entry();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!has_type_ || !has_order_ || !has_shape_) fail("lacks descr, fortran_order or shape");
    return header_;
  }

 private:
  void parse_entry() {
    const auto key = quoted();
    expect(':');
    if (key == "descr")
      parse_type(quoted()), has_type_ = true;
    else if (key == "fortran_order")
      header_.fortran_order = boolean(), has_order_ = true;
    else if (key == "shape")
      parse_shape(), has_shape_ = true;
    else
      fail(fmt::format("has an unknown key '{}'", key));
  }

  void parse_type(std::string_view type) {
    if (type.size() < 3 || std::string_view("<>|=").find(type[0]) == std::string_view::npos)
      refuse_type(type);
    std::size_t bytes = 0;
    const auto [end, fault] = std::from_chars(type.data() + 2, type.data() + type.size(), bytes);
    if (fault != std::errc{} || end != type.data() + type.size()) refuse_type(type);
    const bool floating = type[1] == 'f' && (bytes == 2 || bytes == 4 || bytes == 8);
    const bool whole =
        (type[1] == 'i' || type[1] == 'u') && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
    const bool text = (type[1] == 'U' || type[1] == 'S') && bytes >= 1 && bytes <= longest_text;
    if (!floating && !whole && !text && !(type[1] == 'b' && bytes == 1)) refuse_type(type);
    header_.kind = type[1];
    header_.bytes = type[1] == 'U' ? sizeof(char32_t) * bytes : bytes;
    header_.big_endian = type[0] == '>';
  }

  void parse_shape() {
    expect('(');
    while (!accept(')')) {
      if (header_.extents.size() == most_axes) fail("has too many axes");
      header_.extents.push_back(number());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }

  std::size_t number() {
    skip_blanks();
    std::size_t value = 0;
    const auto [end, fault] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (fault != std::errc{}) fail("has an extent that is no number");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (!rest_.empty() && rest_[0] == 'L') rest_.remove_prefix(1);  // written by Python 2
    return value;
  }

  bool boolean() {
    skip_blanks();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return value;
      }
    }
    fail("has a fortran_order that is neither True nor False");
  }

  std::string_view quoted() {
    skip_blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"'))
      fail("lacks a quoted word (structured types are not read)");
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) fail("has a quote that does not end");
    const auto word = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return word;
  }

  void skip_blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t'))
      rest_.remove_prefix(1);
  }

  bool accept(char wanted) {
    skip_blanks();
    if (rest_.empty() || rest_[0] != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) fail(fmt::format("lacks a '{}'", wanted));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw DataError("{}: its NPY header {}", name_, what);
  }
  [[noreturn]] void refuse_type(std::string_view type) const {
    throw DataError("{}: holds values of type '{}'; read are f2, f4, f8, whole numbers, booleans and texts",
                    name_, type);
  }

  std::string_view rest_;
  const std::string& name_;
  Header header_;
  bool has_type_ = false, has_order_ = false, has_shape_ = false;
};

void require_values_inside(const Header& header, std::size_t size, const std::string& name) {
  std::size_t needed = header.bytes;
  for (const std::size_t extent : header.extents) {
    if (__builtin_mul_overflow(needed, extent, &needed)) {
      throw DataError("{}: declares {} values, more than any machine has", name, spell(header.extents));
    }
  }
  if (header.data_offset > size || needed > size - header.data_offset) {
    throw DataError("{}: is cut short: {} values of {} bytes are declared, but {} bytes follow", name,
                    spell(header.extents), header.bytes, size - std::min(size, header.data_offset));
  }
}

}  // namespace

Header parse_header(const Bytes& bytes, const std::string& name) {
  return parse_header(bytes, bytes.size(), name);
}

Header parse_header(const Bytes& bytes, std::size_t size, const std::string& name) {
  std::uint8_t start[12] = {};
  bytes.read(0, 10, start);
  if (std::string_view(reinterpret_cast<const char*>(start), 6) != "\x93NUMPY") {
    throw DataError("{}: is no NPY array", name);
  }
  const unsigned version = start[6];
  if (version < 1 || version > 3) throw DataError("{}: is NPY version {}, known are 1 to 3", name, version);
  std::size_t begin = 10, length = start[8] + (std::size_t{start[9]} << 8);
  if (version > 1) {
    bytes.read(10, 2, start + 10);
    begin = 12, length += (std::size_t{start[10]} << 16) + (std::size_t{start[11]} << 24);
  }
  if (length > longest_header) throw DataError("{}: has an NPY header of {} bytes", name, length);
  std::string text(length, '\0');
  bytes.read(begin, length, text.data());
  Header header = Parser(text, name).parse();
  header.data_offset = begin + length;
  require_values_inside(header, size, name);
  return header;
}

}  // namespace cvf::data::npy
