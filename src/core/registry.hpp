// A shelf of interchangeable things: an explicit table of rows, each with a name and a one-line summary.
// Adding a thing is one file and one row; nothing registers itself behind the reader's back.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace cvf {

template <class Row>
std::vector<std::string> names(std::span<const Row> rows) {
  std::vector<std::string> out;
  for (const auto& row : rows) out.emplace_back(row.name);
  return out;
}

/// The row called `name`; `kind` ("system", "solver") is for the error's sentence.
template <class Row>
const Row& find(std::span<const Row> rows, std::string_view name, std::string_view kind) {
  for (const auto& row : rows) {
    if (row.name == name) return row;
  }
  throw UsageError("unknown {} '{}'{}", kind, name, text::suggestion(name, names(rows)));
}

}  // namespace cvf
