#include "core/state_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace cvf
