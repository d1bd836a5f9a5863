#include "report/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace cvf::report {

std::string text_in(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<double> number_in(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

const Json& part_of(const Json& object, const char* key) {
  static const Json nothing;
  return object.is_object() && object.contains(key) ? object.at(key) : nothing;
}

std::vector<std::size_t> spread(std::size_t count, std::size_t most) {
  std::vector<std::size_t> out;
  const std::size_t kept = std::min(count, most);
  for (std::size_t i = 0; i < kept; ++i) out.push_back(kept == 1 ? count - 1 : i * (count - 1) / (kept - 1));
  return out;
}

Json brief(double value) {
  if (!std::isfinite(value)) return {};
  const double rounded = std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
  const bool whole = std::abs(rounded) < 1e6 && rounded == std::trunc(rounded);
  return whole ? Json(static_cast<std::int64_t>(rounded)) : Json(rounded);  // "3", not "3.0"
}

Json brief(const std::vector<double>& values) {
  Json out = Json::array();
  for (const double value : values) out.push_back(brief(value));
  return out;
}

}  // namespace cvf::report
