// The document that a page shows, and careful looks into JSON that somebody else wrote.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace cvf::report {

using Json = nlohmann::ordered_json;

/// A JSON text from a file, or null when it is none. Nested more deeply than any document of ours it is null
/// too: copying and writing a value goes as deep as the value does, until the stack ends.
inline Json parse_json(std::string_view text) {
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

inline std::string text_in(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

inline std::optional<double> number_in(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

/// The object or list under `key`; null when there is none.
inline const Json& part_of(const Json& object, const char* key) {
  static const Json nothing;
  return object.is_object() && object.contains(key) ? object.at(key) : nothing;
}

}  // namespace cvf::report
