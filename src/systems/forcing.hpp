// A random force on a small equation, known at the frames of a sample and linear in between: what a file
// holds of it is what the simulation used, to the last bit.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "systems/drawn.hpp"
#include "systems/system.hpp"

namespace cvf::systems {

struct Forcing {
  enum class Kind { none, sine, steps, chirp, noise };

  Kind kind = Kind::none;
  Range amplitude{0.2, 1}, frequency{0.5, 2};
  double interval = 1;

  void describe(config::Section& section, std::string_view control);
  void check(std::string_view system, std::string_view control) const;

  struct Values {
    float start = 0;            // at time 0, where the simulation begins
    std::vector<float> frames;  // at the times that were asked for
  };
  /// Values at `times`, which increase.
  Values at(std::string_view system, const Draw& draw, std::span<const double> times) const;

 private:
  std::vector<float> values(std::string_view system, const Draw& draw, std::span<const double> times) const;
};

}  // namespace cvf::systems
