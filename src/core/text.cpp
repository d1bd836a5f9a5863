#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "core/errors.hpp"

namespace cvf::text {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substitute, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

// Bytes of the character that `raw` begins with; 0 when it is not one to show.
std::size_t shown_length(std::string_view raw) {
  const auto byte = [raw](std::size_t i) { return static_cast<unsigned char>(raw[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length > raw.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  }
  return first == 0xc2 && byte(1) < 0xa0 ? 0 : length;
}

template <class Number>
Number to_number(std::string_view word, std::string_view what, std::string_view kind) {
  Number value{};
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (fault != std::errc{} || end != word.data() + word.size() || word.empty()) {
    throw UsageError("{}: '{}' is not {}", what, word, kind);
  }
  return value;
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  const std::string near = nearest(word, candidates);
  if (!near.empty()) return fmt::format(" (did you mean '{}'?)", near);
  if (candidates.empty()) return "";
  return fmt::format(" (known: {})", join(candidates));
}

std::string join(std::span<const std::string> words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words.begin(), words.end(), separator));
}

std::vector<std::string> split(std::string_view line, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t cut = line.find(separator);
    parts.emplace_back(line.substr(0, cut));
    if (cut == std::string_view::npos) return parts;
    line.remove_prefix(cut + 1);
  }
}

std::string bytes(std::uint64_t count) {
  constexpr std::array units{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(count);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", count) : fmt::format("{:.3g} {}", value, units[unit]);
}

std::string duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string printable(std::string_view raw, std::string_view kept) {
  std::string out;
  while (!raw.empty()) {
    const std::size_t length = kept.find(raw.front()) != std::string_view::npos ? 1 : shown_length(raw);
    if (length == 0) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(raw.front()));
    out += raw.substr(0, length);
    raw.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
  std::string out = "'";
  for (const char letter : word) out += letter == '\'' ? "'\\''" : std::string(1, letter);
  return out + "'";
}

double to_real(std::string_view word, std::string_view what) {
  return to_number<double>(word, what, "a number");
}

std::int64_t to_integer(std::string_view word, std::string_view what) {
  return to_number<std::int64_t>(word, what, "a whole number");
}

NumberTable read_numbers(std::string_view csv) {
  NumberTable out;
  for (const auto& line : split(csv, '\n')) {
    if (line.empty()) continue;
    const auto cells = split(line, ',');
    if (out.names.empty()) {
      out.names = cells;
    } else if (cells.size() == out.names.size()) {
      auto& row = out.rows.emplace_back();
      for (const auto& cell : cells) {
        char* end = nullptr;
        const double value = std::strtod(cell.c_str(), &end);
        row.push_back(end == cell.c_str() ? std::numeric_limits<double>::quiet_NaN() : value);
      }
    }
  }
  return out;
}

}  // namespace cvf::text
