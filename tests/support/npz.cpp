#include "support/npz.hpp"

#include <zlib.h>

#include <cstring>
#include <sstream>
#include <stdexcept>

#include "core/files.hpp"

namespace cvf::test {
namespace {

template <class T>
T at(const std::string& bytes, std::size_t offset) {
  if (offset + sizeof(T) > bytes.size()) throw std::runtime_error("npz: the file ends too early");
  T out;
  std::memcpy(&out, bytes.data() + offset, sizeof(T));
  return out;
}

std::string inflated(const std::string& packed, std::size_t size) {
  std::string out(size, '\0');
  z_stream stream{};
  inflateInit2(&stream, -MAX_WBITS);  // raw deflate, as ZIP members are
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(size);
  const int result = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("npz: a member does not inflate");
  return out;
}

std::vector<std::int64_t> shape_in(const std::string& header) {
  const auto open = header.find("'shape': (");
  std::istringstream words(header.substr(open + 10, header.find(')', open) - open - 10));
  std::vector<std::int64_t> out;
  for (std::string word; std::getline(words, word, ',');) {
    if (word.find_first_of("0123456789") != std::string::npos) out.push_back(std::stoll(word));
  }
  return out;
}

Array parse_npy(const std::string& bytes) {
  const bool long_header = at<std::uint8_t>(bytes, 6) >= 2;
  const std::size_t begin = long_header ? 12 : 10;
  const std::size_t length = long_header ? at<std::uint32_t>(bytes, 8) : at<std::uint16_t>(bytes, 8);
  const std::string header = bytes.substr(begin, length);
  const bool real = header.find("<f8") != std::string::npos;
  if (!real && header.find("<i8") == std::string::npos)
    throw std::runtime_error("npz: neither float64 nor int64");
  if (header.find("'fortran_order': True") != std::string::npos)
    throw std::runtime_error("npz: Fortran order");
  Array out{shape_in(header), {}};
  std::size_t count = 1;
  for (const auto n : out.shape) count *= static_cast<std::size_t>(n);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t offset = begin + length + 8 * i;
    out.values.push_back(real ? at<double>(bytes, offset)
                              : static_cast<double>(at<std::int64_t>(bytes, offset)));
  }
  return out;
}

}  // namespace

std::map<std::string, Array> read_npz(const std::string& path) {
  const std::string bytes = files::read_whole(path);
  const std::size_t end = bytes.rfind("PK\x05\x06");  // end of central directory
  if (end == std::string::npos) throw std::runtime_error("npz: not a ZIP file: " + path);
  std::map<std::string, Array> out;
  std::size_t entry = at<std::uint32_t>(bytes, end + 16);
  for (int i = at<std::uint16_t>(bytes, end + 10); i > 0; --i) {
    const auto method = at<std::uint16_t>(bytes, entry + 10);
    const auto packed_size = at<std::uint32_t>(bytes, entry + 20),
               size = at<std::uint32_t>(bytes, entry + 24);
    const auto name_length = at<std::uint16_t>(bytes, entry + 28);
    const std::string name = bytes.substr(entry + 46, name_length);
    const std::size_t local = at<std::uint32_t>(bytes, entry + 42);
    const std::size_t data =
        local + 30 + at<std::uint16_t>(bytes, local + 26) + at<std::uint16_t>(bytes, local + 28);
    const std::string packed = bytes.substr(data, packed_size);
    out[name.substr(0, name.rfind(".npy"))] = parse_npy(method == 0 ? packed : inflated(packed, size));
    entry += 46u + name_length + at<std::uint16_t>(bytes, entry + 30) + at<std::uint16_t>(bytes, entry + 32);
  }
  return out;
}

}  // namespace cvf::test
