// What happens at the sides of a grid, in words and as a value for each side. Files and models carry the
// words, fields pad by the value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cvf {

enum class Boundary { unknown, periodic, zero_flux, outflow, wall };

struct AxisBoundary {
  Boundary low = Boundary::unknown, high = Boundary::unknown;
  bool operator==(const AxisBoundary&) const = default;
};

struct GridBoundary {
  AxisBoundary y, x;
  bool operator==(const GridBoundary&) const = default;
};

/// "periodic" for all sides, "y: wall, x: periodic" for each axis, "x: wall/outflow" for the low and the high
/// side; an axis that is not named is unknown. Nothing when a word is not known or only one side of an axis
/// is periodic.
std::optional<GridBoundary> parse_boundary(std::string_view text);

/// The shortest text that parses to the same.
std::string to_text(const GridBoundary& boundary);

/// "unknown, periodic, zero_flux, outflow, wall", for a message.
std::string boundary_names();

}  // namespace cvf
