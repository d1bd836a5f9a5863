// What happens at the sides of a grid, in words and as a value for each side. Files and models carry the
// words, fields pad by the value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cvf {

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

}  // namespace cvf
