// Lists of indices as people write them: "0:800,900" means 0..799 and 900.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cvf::data {

/// `limit` closes an open range ("8:"); an index at or beyond it is a UsageError that names `what`.
std::vector<std::size_t> parse_ranges(std::string_view text, std::size_t limit, std::string_view what);

/// The shortest text that parse_ranges turns back into `indices` (in their order).
std::string write_ranges(const std::vector<std::size_t>& indices);

}  // namespace cvf::data
