#include "core/boundary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/text.hpp"

namespace cvf {
namespace {

constexpr std::array<std::pair<std::string_view, Boundary>, 5> words{{{"unknown", Boundary::unknown},
                                                                      {"periodic", Boundary::periodic},
                                                                      {"zero_flux", Boundary::zero_flux},
                                                                      {"outflow", Boundary::outflow},
                                                                      {"wall", Boundary::wall}}};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::optional<Boundary> side_of(std::string_view word) {
  if (word == "none") return Boundary::unknown;  // a state without a grid
  for (const auto& [name, value] : words) {
    if (name == word) return value;
  }
  return std::nullopt;
}

std::optional<AxisBoundary> axis_of(std::string_view text) {
  const auto slash = text.find('/');
  const auto low = side_of(trimmed(text.substr(0, slash)));
  const auto high = slash == std::string_view::npos ? low : side_of(trimmed(text.substr(slash + 1)));
  if (!low || !high) return std::nullopt;
  if ((*low == Boundary::periodic) != (*high == Boundary::periodic)) return std::nullopt;
  return AxisBoundary{*low, *high};
}

std::string_view word_of(Boundary side) {
  return words[static_cast<std::size_t>(side)].first;
}

std::string text_of(const AxisBoundary& axis) {
  if (axis.low == axis.high) return std::string(word_of(axis.low));
  return fmt::format("{}/{}", word_of(axis.low), word_of(axis.high));
}

}  // namespace

AxisBoundary GridBoundary::along(std::string_view axis) const {
  for (const auto& [name, boundary] : named) {
    if (name == axis) return boundary;
  }
  return elsewhere;
}

std::optional<GridBoundary> parse_boundary(std::string_view text) {
  if (text.find(':') == std::string_view::npos) {
    const auto all = axis_of(trimmed(text));
    return all ? std::optional(GridBoundary{*all, {}}) : std::nullopt;
  }
  GridBoundary out;
  for (const auto& part : text::split(text, ',')) {
    const auto colon = part.find(':');
    if (colon == std::string::npos) return std::nullopt;
    const auto name = trimmed(std::string_view(part).substr(0, colon));
    const auto axis = axis_of(trimmed(std::string_view(part).substr(colon + 1)));
    if (!axis || (name != "z" && name != "y" && name != "x")) return std::nullopt;
    out.named.emplace_back(name, *axis);
  }
  return out;
}

std::string to_text(const GridBoundary& boundary) {
  if (boundary.named.empty()) return text_of(boundary.elsewhere);
  const auto& first = boundary.named.front().second;
  const auto as_first = [&](const auto& axis) { return axis.second == first; };
  if (std::ranges::all_of(boundary.named, as_first)) return text_of(first);
  std::vector<std::string> out;
  for (const auto& [name, axis] : boundary.named) out.push_back(name + ": " + text_of(axis));
  return text::join(out, ", ");
}

std::string boundary_names() {
  std::vector<std::string> out;
  for (const auto& [name, value] : words) out.emplace_back(name);
  return text::join(out);
}

}  // namespace cvf
