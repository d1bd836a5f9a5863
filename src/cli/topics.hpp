// What `cvf explain` can explain: a name, a line, and the text.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "core/config.hpp"

namespace cvf::cli {

struct Topic {
  std::string name, summary;
  std::function<std::string()> text;
};

template <class Options>
std::string explained() {
  Options options;
  return config::explain([&options](config::Section& s) { options.describe(s); });
}

/// Each row of a shelf with its options.
template <class Rows>
std::string options_of(const Rows& rows) {
  std::string out;
  for (const auto& row : rows) {
    const auto settings = row.settings();
    out += fmt::format("{}: {}\n{}", row.name, row.summary,
                       config::explain([&settings](config::Section& s) { settings->describe(s); }));
  }
  return out;
}

/// The text of a topic whose options are known to the program with LibTorch only (models/).
std::string explained_by_models(const std::string& topic);

}  // namespace cvf::cli
