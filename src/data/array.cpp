#include "data/array.hpp"

#include "core/errors.hpp"
#include "core/text.hpp"

namespace cvf::data {
namespace {

constexpr std::string_view letters_of_axes = "ntzyxc";

char parse_letter(std::string_view word, std::string_view text, const std::string& name) {
  const std::size_t from = word.find_first_not_of(' ');
  const std::size_t to = word.find_last_not_of(' ');
  if (from == std::string_view::npos || from != to ||
      letters_of_axes.find(word[from]) == std::string_view::npos) {
    throw DataError("{}: axes '{}': '{}' is no axis (n sample, t time, z, y, x, c channel, e.g. n,t,y,x,c)",
                    name, text, word);
  }
  return word[from];
}

}  // namespace

std::string parse_axes(std::string_view text, const Extents& extents, const std::string& name) {
  std::string letters;
  for (const auto& word : text::split(text, ',')) {
    const char letter = parse_letter(word, text, name);
    if (letters.find(letter) != std::string::npos) {
      throw DataError("{}: axes '{}' name '{}' twice", name, text, letter);
    }
    letters += letter;
  }
  if (letters.find('t') == std::string::npos) throw DataError("{}: axes '{}' have no t (time)", name, text);
  if (letters.find('y') != std::string::npos && letters.find('x') == std::string::npos) {
    throw DataError("{}: axes '{}' have y but no x; a single axis in space is called x", name, text);
  }
  if (letters.find('z') != std::string::npos && letters.find('y') == std::string::npos) {
    throw DataError("{}: axes '{}' have z but no y; two axes in space are called y and x", name, text);
  }
  if (letters.size() != extents.size()) {
    throw DataError("{}: axes '{}' name {} axes, but the array has {} ({})", name, text, letters.size(),
                    extents.size(), spell(extents));
  }
  return letters;
}

std::string spell_axes(std::string_view letters) {
  std::string text;
  for (const char letter : letters) text += text.empty() ? std::string(1, letter) : std::string(",") + letter;
  return text;
}

std::size_t extent_of(const Extents& extents, std::string_view letters, char axis) {
  std::size_t extent = 1;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (letters[i] == axis) extent *= extents[i];
  }
  return extent;
}

std::string spell(const Extents& extents) {
  return fmt::format("{}", fmt::join(extents, " x "));
}

}  // namespace cvf::data
