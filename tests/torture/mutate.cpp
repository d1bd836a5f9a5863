#include "torture/mutate.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <regex>
#include <vector>

#include "core/text.hpp"

namespace cvf::torture {
namespace {

template <class Items>
auto one_of(const Items& items, RandomStream& random) {
  return items[random.below(std::size(items))];
}

void flip(std::string& content, RandomStream& random) {
  for (auto left = 1 + random.below(8); left > 0 && !content.empty(); --left)
    content[random.below(content.size())] ^= static_cast<char>(1U << random.below(8));
}

void put_number(std::string& content, RandomStream& random) {
  constexpr std::array<std::uint64_t, 9> numbers{
      0,          1,          0x7f,
      0xff,       0xffff,     0x7fffffff,
      0xffffffff, 1ULL << 63, std::numeric_limits<std::uint64_t>::max()};
  const std::uint64_t number = one_of(numbers, random);
  const std::size_t size = std::size_t{1} << random.below(4);
  if (content.size() < size) return;
  std::memcpy(&content[random.below(content.size() - size + 1)], &number, size);
}

void cut(std::string& content, RandomStream& random) {
  content.resize(random.below(content.size() + 1));
}

void remove_piece(std::string& content, RandomStream& random) {
  if (content.empty()) return;
  const auto begin = random.below(content.size());
  content.erase(begin, 1 + random.below(64));
}

void repeat_piece(std::string& content, RandomStream& random) {
  if (content.empty()) return;
  const auto begin = random.below(content.size());
  content.insert(random.below(content.size()), content.substr(begin, 1 + random.below(64)));
}

void lengthen(std::string& content, RandomStream& random) {
  content.append(1 + random.below(4096), static_cast<char>(random.below(256)));
}

// ---- text

std::string odd_number(RandomStream& random) {
  constexpr std::array numbers{
      "0",    "-1",   "1e300",      "-1e300",     "inf",  "nan",        "2147483648",
      "1e6",  "1e-9", "9999999999", "4294967296", "0x10", "0.5",        "99999999999999999999",
      "\"\"", "true", "[]",         "[1, 2]",     "{}",   "1979-05-27", ""};
  return one_of(numbers, random);
}

std::string odd_line(RandomStream& random) {
  const std::vector<std::string> lines{"[.x]",
                                       "[",
                                       "a.b.c = 1",
                                       "= 3",
                                       "[[x]]",
                                       "{\"a\":",
                                       std::string(2000, '['),
                                       std::string(2000, '{'),
                                       "\xff\xfe = \xc3",
                                       std::string("\0\0", 2),
                                       "\x1b[31m = \"\x1b]0;x\x07\"",
                                       std::string(100'000, 'x'),
                                       "seed = 1",
                                       "null",
                                       "\"\\ud800\""};
  return one_of(lines, random);
}

std::string with_odd_number(const std::string& line, RandomStream& random) {
  static const std::regex number("[-+]?[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?");
  std::vector<std::smatch> found(std::sregex_iterator(line.begin(), line.end(), number),
                                 std::sregex_iterator());
  if (found.empty()) return line;
  const auto& pick = found[random.below(found.size())];
  return line.substr(0, static_cast<std::size_t>(pick.position())) + odd_number(random) +
         line.substr(static_cast<std::size_t>(pick.position() + pick.length()));
}

}  // namespace

std::string mutated_bytes(std::string content, RandomStream& random) {
  constexpr std::array ways{flip, flip, put_number, put_number, cut, remove_piece, repeat_piece, lengthen};
  for (auto left = 1 + random.below(3); left > 0; --left) one_of(ways, random)(content, random);
  return content;
}

std::string mutated_text(const std::string& content, const std::string& spared, RandomStream& random) {
  auto lines = text::split(content, '\n');
  for (auto left = 1 + random.below(3); left > 0; --left) {
    const auto i = random.below(lines.size()), j = random.below(lines.size());
    const auto way = random.below(7);
    if (way == 0) lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(i), odd_line(random));
    if (!spared.empty() &&
        (lines[i].find(spared) != std::string::npos || lines[j].find(spared) != std::string::npos))
      continue;
    if (way == 1) lines[i].clear();
    if (way == 2) lines[i] = lines[j];
    if (way == 3) std::swap(lines[i], lines[j]);
    if (way == 4) flip(lines[i], random);
    if (way >= 5) lines[i] = with_odd_number(lines[i], random);
  }
  return text::join(lines, "\n");
}

}  // namespace cvf::torture
