// What each metric is, in words.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cvf::metrics {

struct Definition {
  std::string_view name;
  std::string_view symbol;  // as the paper or custom writes it
  std::string_view unit;
  std::string_view definition;  // one sentence
  bool of_states;               // compares states, so a diverged sample leaves it without a value
};

/// Of every metric (definitions.cpp).
std::span<const Definition> all_definitions();

/// The table of definitions: name, symbol, unit, sentence.
std::string definitions();

}  // namespace cvf::metrics
