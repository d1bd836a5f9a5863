// What a state is, from file to kernel: named channels on the cells of a grid. Every room that has to know
// holds one of these.
//
// Axes are ordered as in a tensor, the slowest first: none (a vector), {x}, {y, x} or {z, y, x}. A leading
// axis of one cell says nothing and is left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cvf {

// What happens at the sides of a grid, in words and as a value for each side. Files and models carry the
// words, fields pad by the value.

enum class Boundary { unknown, periodic, zero_flux, outflow, wall };

struct AxisBoundary {
  Boundary low = Boundary::unknown, high = Boundary::unknown;
  bool operator==(const AxisBoundary&) const = default;
};

/// What a text says of the axes of a grid that it may not know.
struct GridBoundary {
  AxisBoundary elsewhere = {};  // along the axes that are not named
  std::vector<std::pair<std::string, AxisBoundary>> named = {};

  AxisBoundary along(std::string_view axis) const;
};

/// "periodic" for all sides, "y: wall, x: periodic" for each axis, "x: wall/outflow" for the low and the high
/// side; an axis that is not named is unknown. Nothing when a word is not known or only one side of an axis
/// is periodic.
std::optional<GridBoundary> parse_boundary(std::string_view text);

/// The shortest text that says the same of the axes that are named; of all others, where none is.
std::string to_text(const GridBoundary& boundary);

/// "unknown, periodic, zero_flux, outflow, wall", for a message.
std::string boundary_names();

/// What a number is to the state that is predicted: part of it, or something that it moves under.
enum class Role { state, static_field, parameter, control, control_field };

struct Channel {
  std::string name;
  std::string unit = {};  // empty: not known
  Role role = Role::state;
  bool operator==(const Channel&) const = default;
};

struct Axis {
  std::string name;  // one letter: z, y or x
  std::size_t size = 1;
  std::vector<double> coordinates = {};  // of all cells, or of the first and the last; empty: not known
  AxisBoundary boundary = {};

  double spacing() const;  // between neighbouring cells; NaN: not known, or one cell only
  bool operator==(const Axis&) const = default;
};

struct StateSpec {
  std::vector<Channel> channels;
  std::vector<Axis> axes;

  bool is_vector() const { return axes.empty(); }
  std::size_t cells() const;
  std::size_t frame_size() const { return cells() * count(Role::state); }  // values of one state

  std::size_t count(Role role) const;
  std::vector<std::string> names(Role role = Role::state) const;
  /// In place of the channels of this role.
  StateSpec& set_names(Role role, const std::vector<std::string>& names);

  StateSpec& set_axes(std::vector<Axis> axes);
  const Axis* axis(std::string_view name) const;        // null: there is no such axis
  std::size_t size_along(std::string_view name) const;  // 1 where there is no such axis
  std::vector<double> coordinates(std::string_view name) const;
  bool same_grid(const StateSpec& other) const;  // as many cells along the same axes

  /// Sizes of a state as a tensor: {C}, {C, 1, x}, {C, y, x} or {C, z, y, x}. Networks take a line as a grid
  /// of one row.
  std::vector<std::int64_t> tensor_sizes() const;

  std::string grid_text() const;  // "16 x 32 (y x x)"

  /// As parse_boundary takes it; "none" for a vector.
  std::string boundary() const;
  /// False, and nothing is set, where the text does not parse.
  bool set_boundary(std::string_view text);

  bool operator==(const StateSpec&) const = default;
};

/// A state of these channels on the axes; without axes, a vector.
StateSpec state_of(const std::vector<std::string>& channels, std::vector<Axis> axes = {});

}  // namespace cvf
