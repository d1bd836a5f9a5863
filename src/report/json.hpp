// The document that a page shows, and careful looks into JSON that somebody else wrote.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.hpp"

namespace cvf::report {

using Json = nlohmann::ordered_json;

std::string text_in(const Json& object, const char* key);

std::optional<double> number_in(const Json& object, const char* key);

/// The object or list under `key`; null when there is none.
const Json& part_of(const Json& object, const char* key);

// Less of the same: what a page can show of long lists and long numbers.

/// At most `most` indices of `count`, spread evenly, the first and the last among them.
std::vector<std::size_t> spread(std::size_t count, std::size_t most);

/// Rounded to six significant digits, which is what a page shows at most; null where not finite.
Json brief(double value);
Json brief(const std::vector<double>& values);

template <class Value>
std::vector<Value> picked(const std::vector<Value>& values, const std::vector<std::size_t>& indices) {
  std::vector<Value> out;
  out.reserve(indices.size());
  for (const auto index : indices) out.push_back(values[index]);
  return out;
}

}  // namespace cvf::report
