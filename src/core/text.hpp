// Small help with words: the nearest known name, lists, sizes and durations as people write them, tables of
// numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cvf::text {

/// The candidate with the smallest edit distance to `word`; empty when none is close enough to be a typing
/// slip.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// " (did you mean 'x'?)" for a near candidate, " (known: a, b, c)" otherwise.
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

std::string join(std::span<const std::string> words, std::string_view separator = ", ");
std::vector<std::string> split(std::string_view line, char separator);
std::string bytes(std::uint64_t count);  // "13.2 GB"
std::string duration(double seconds);    // "2 min 05 s"

/// For a terminal: control characters, those of the upper half (U+0080 to U+009F) and bytes that are no UTF-8
/// as \\xNN, so that text from a file cannot command the terminal. `kept` stays as it is.
std::string printable(std::string_view raw, std::string_view kept = "");

/// A word as a POSIX shell reads it back: in single quotes where it has characters that mean something there.
std::string shell_quoted(std::string_view word);

/// A number that fills the whole of `word`, or a UsageError that names `what`.
double to_real(std::string_view word, std::string_view what);
std::int64_t to_integer(std::string_view word, std::string_view what);

/// Numbers under a line of names, as metrics.csv has them. A cell that is empty or no number is NaN; a line
/// that was cut short is left out.
struct NumberTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
};
NumberTable read_numbers(std::string_view csv);

}  // namespace cvf::text
