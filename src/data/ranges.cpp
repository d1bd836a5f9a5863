#include "data/ranges.hpp"

#include "core/errors.hpp"
#include "core/text.hpp"

namespace cvf::data {
namespace {

std::size_t parse_bound(std::string_view word, std::size_t if_empty, std::size_t limit,
                        std::string_view what) {
  if (word.empty()) return if_empty;
  const std::int64_t value = text::to_integer(word, what);
  if (value < 0 || static_cast<std::size_t>(value) > limit) {
    throw UsageError("{}: {} is outside 0..{} ({} in all)", what, value, limit == 0 ? 0 : limit - 1, limit);
  }
  return static_cast<std::size_t>(value);
}

}  // namespace

std::vector<std::size_t> parse_ranges(std::string_view list, std::size_t limit, std::string_view what) {
  std::vector<std::size_t> indices;
  if (list.empty()) return indices;
  for (const auto& part : text::split(list, ',')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos) {
      if (part.empty()) throw UsageError("{}: '{}' has an empty entry; write e.g. 0:800,900", what, list);
      const std::size_t index = parse_bound(part, 0, limit, what);
      if (index == limit)
        throw UsageError("{}: {} is outside 0..{} ({} in all)", what, index, limit - 1, limit);
      indices.push_back(index);
      continue;
    }
    const std::size_t begin = parse_bound(std::string_view(part).substr(0, colon), 0, limit, what);
    const std::size_t end = parse_bound(std::string_view(part).substr(colon + 1), limit, limit, what);
    if (begin >= end)
      throw UsageError("{}: the range {} is empty; write begin:end with begin < end", what, part);
    for (std::size_t i = begin; i < end; ++i) indices.push_back(i);
  }
  return indices;
}

std::string write_ranges(const std::vector<std::size_t>& indices) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t run = 1;
    while (i + run < indices.size() && indices[i + run] == indices[i] + run) ++run;
    parts.push_back(run == 1 ? fmt::format("{}", indices[i])
                             : fmt::format("{}:{}", indices[i], indices[i] + run));
    i += run;
  }
  return text::join(parts, ",");
}

}  // namespace cvf::data
