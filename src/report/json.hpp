// The document that a page shows, and careful looks into JSON that somebody else wrote.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace cvf::report {

using Json = nlohmann::ordered_json;

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
