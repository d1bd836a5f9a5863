// One scene: the forecasts of a group and its truth in memory, and the colours that they share.
#pragma once

#include "report/forecasts.hpp"
#include "report/json.hpp"
#include "report/movie.hpp"

namespace cvf::report {

inline constexpr std::size_t most_points = 400;  // of curves: states of a few numbers, solver steps

/// How much of each forecast is shown.
struct Thinning {
  std::size_t frames = 64, side = 64;
};

inline bool is_field(const data::Description& d) {
  return !d.state.is_vector();
}

struct Shown {
  const Forecast* forecast;
  Movie states, errors;  // errors: no frames without truth
};

struct Scene {
  const Group& group;
  std::vector<std::size_t> frames;  // of the forecast
  Movie truth;                      // no frames: there is none
  std::string note;
  std::vector<Shown> methods;

  const data::Description& about() const { return group.first().source->description(); }
  bool has_truth() const { return truth.frames > 0; }
};

Scene read_scene(const Group& group, const Thinning& thinning, const std::string& folder, Sources& opened);

/// Ranges for each channel, one for all methods, so that they can be compared. The JSON lists {low, high,
/// palette, reach}.
struct Colours {
  std::vector<Range> states, errors;
  Json json = Json::array();
};
Colours colours_of(const Scene& scene);

}  // namespace cvf::report
