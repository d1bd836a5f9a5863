// JSON from files that somebody else may have written.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace cvf {

/// Null when the text is no JSON. Nested more deeply than any document of ours it is null too: copying and
/// writing a value goes as deep as the value does, until the stack ends.
inline nlohmann::ordered_json parse_json(std::string_view text) {
  using Json = nlohmann::ordered_json;
  constexpr int deepest = 64;
  struct TooDeep {};
  try {
    return Json::parse(
        text,
        [](int depth, Json::parse_event_t, Json&) {
          if (depth > deepest) throw TooDeep();
          return true;
        },
        false);
  } catch (const TooDeep&) {
    return nullptr;
  }
}

}  // namespace cvf
