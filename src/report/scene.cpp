#include "report/scene.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/image.hpp"
#include "report/json.hpp"

namespace cvf::report {
namespace {

std::vector<std::optional<std::size_t>> wanted(const std::vector<std::size_t>& frames) {
  return {frames.begin(), frames.end()};
}

void read_truth(Scene& scene, const std::string& folder, Sources& opened) {
  const Truth found = find_truth(scene.group, folder, opened);
  scene.note = found.why;
  if (!found.source) return;
  const auto frames = picked(found.frames, scene.frames);
  if (std::none_of(frames.begin(), frames.end(), [](const auto& f) { return f.has_value(); })) {
    scene.note = "The truth is not shown: its file has no frame at the forecast's times.";
    return;
  }
  scene.truth = read_movie(*found.source, scene.group.sample, frames);
}

// ---- colours

Range range_of(const Movie& movie, std::size_t channel) {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (std::size_t i = channel; i < movie.values.size(); i += movie.channels) {
    if (!std::isfinite(movie.values[i])) continue;
    range.low = std::min(range.low, double{movie.values[i]});
    range.high = std::max(range.high, double{movie.values[i]});
  }
  return range.low <= range.high ? range : Range{0, 1};
}

// All but the largest hundredth: a few wild cells should not pale the rest.
double usual_size(const Movie& errors, std::size_t channel) {
  std::vector<float> sizes;
  for (std::size_t i = channel; i < errors.values.size(); i += errors.channels) {
    if (std::isfinite(errors.values[i])) sizes.push_back(std::abs(errors.values[i]));
  }
  if (sizes.empty()) return 0;
  const auto place = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() * 99 / 100);
  std::nth_element(sizes.begin(), place, sizes.end());
  return *place;
}

// A method that is lost does not stretch the scale beyond the truth's own range.
double reach_of(const Scene& scene, std::size_t channel, const Range& range) {
  double reach = 0;
  for (const auto& method : scene.methods) reach = std::max(reach, usual_size(method.errors, channel));
  const double most = range.high > range.low ? range.high - range.low : 1;
  return reach > 0 ? std::min(reach, most) : most;
}

}  // namespace

Scene read_scene(const Group& group, const Thinning& thinning, const std::string& folder, Sources& opened) {
  Scene scene{group, spread(group.first().times.size(), most_points), {}, "", {}};
  if (is_field(scene.about())) scene.frames = spread(group.first().times.size(), thinning.frames);
  read_truth(scene, folder, opened);
  for (const auto& forecast : group.forecasts) {
    Shown shown{&forecast, read_movie(*forecast.source, forecast.index, wanted(scene.frames)), {}};
    if (scene.has_truth()) shown.errors = difference(shown.states, scene.truth);
    scene.methods.push_back(std::move(shown));
  }
  return scene;
}

Colours colours_of(const Scene& scene) {
  Colours out;
  const auto channels = scene.about().channels();
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const Range range = range_of(scene.has_truth() ? scene.truth : scene.methods.front().states, c);
    const Scale scale = scale_for(range.low, range.high);
    const double reach = reach_of(scene, c, range);
    out.states.push_back({scale.low, scale.high});
    out.errors.push_back({-reach, reach});
    out.json.push_back({{"low", brief(scale.low)},
                        {"high", brief(scale.high)},
                        {"palette", scale.palette == Palette::diverging ? "diverging" : "sequential"},
                        {"reach", brief(reach)}});
  }
  return out;
}

}  // namespace cvf::report
