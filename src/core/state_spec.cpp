#include "core/state_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/text.hpp"

namespace cvf {

double Axis::spacing() const {
  if (size < 2 || coordinates.empty()) return std::numeric_limits<double>::quiet_NaN();
  return std::abs(coordinates.back() - coordinates.front()) / static_cast<double>(size - 1);
}

std::size_t StateSpec::cells() const {
  std::size_t out = 1;
  for (const auto& axis : axes) out *= axis.size;
  return out;
}

std::size_t StateSpec::count(Role role) const {
  return static_cast<std::size_t>(std::ranges::count(channels, role, &Channel::role));
}

std::vector<std::string> StateSpec::names(Role role) const {
  std::vector<std::string> out;
  for (const auto& channel : channels) {
    if (channel.role == role) out.push_back(channel.name);
  }
  return out;
}

StateSpec& StateSpec::set_names(Role role, const std::vector<std::string>& names) {
  std::vector<Channel> wanted;
  for (const auto& name : names) {
    const auto known = std::ranges::find_if(
        channels, [&](const Channel& channel) { return channel.role == role && channel.name == name; });
    wanted.push_back(known != channels.end() ? *known : Channel{name, "", role});
  }
  std::erase_if(channels, [role](const Channel& channel) { return channel.role == role; });
  const auto behind = std::ranges::find_if(channels, [role](const auto& c) { return c.role > role; });
  channels.insert(behind, wanted.begin(), wanted.end());
  return *this;
}

StateSpec& StateSpec::set_axes(std::vector<Axis> wanted) {
  const auto first = std::ranges::find_if(wanted, [](const Axis& axis) { return axis.size != 1; });
  axes.assign(std::make_move_iterator(first), std::make_move_iterator(wanted.end()));
  return *this;
}

const Axis* StateSpec::axis(std::string_view name) const {
  const auto found = std::ranges::find(axes, name, &Axis::name);
  return found == axes.end() ? nullptr : &*found;
}

std::size_t StateSpec::size_along(std::string_view name) const {
  const Axis* found = axis(name);
  return found == nullptr ? 1 : found->size;
}

std::vector<double> StateSpec::coordinates(std::string_view name) const {
  const Axis* found = axis(name);
  return found == nullptr ? std::vector<double>{} : found->coordinates;
}

bool StateSpec::same_grid(const StateSpec& other) const {
  return std::ranges::equal(
      axes, other.axes, [](const Axis& a, const Axis& b) { return a.name == b.name && a.size == b.size; });
}

std::vector<std::int64_t> StateSpec::tensor_sizes() const {
  std::vector<std::int64_t> out{static_cast<std::int64_t>(count(Role::state))};
  if (axes.size() == 1) out.push_back(1);
  for (const auto& axis : axes) out.push_back(static_cast<std::int64_t>(axis.size));
  return out;
}

std::string StateSpec::grid_text() const {
  std::vector<std::size_t> sizes;
  std::vector<std::string> names;
  for (const auto& axis : axes) {
    sizes.push_back(axis.size);
    names.push_back(axis.name);
  }
  return fmt::format("{} ({})", fmt::join(sizes, " x "), fmt::join(names, " x "));
}

std::string StateSpec::boundary() const {
  if (is_vector()) return "none";
  GridBoundary out;
  for (const auto& axis : axes) out.named.emplace_back(axis.name, axis.boundary);
  return to_text(out);
}

bool StateSpec::set_boundary(std::string_view text) {
  const auto parsed = parse_boundary(text);
  if (!parsed) return false;
  for (auto& axis : axes) axis.boundary = parsed->along(axis.name);
  return true;
}

StateSpec state_of(const std::vector<std::string>& channels, std::vector<Axis> axes) {
  StateSpec out;
  out.set_names(Role::state, channels).set_axes(std::move(axes));
  return out;
}

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
