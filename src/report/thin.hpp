// Less of the same: what a page can show of long lists and long numbers.
#pragma once

#include <cstddef>
#include <vector>

#include "report/json.hpp"

namespace cvf::report {

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
