#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"
#include "data/groups_format.hpp"
#include "report/json.hpp"
#include "report/movie.hpp"
#include "report/scene.hpp"
#include "report/sections.hpp"

namespace cvf::report {
namespace {

// Bytes in the page: states and errors of every forecast, the truth, base64.
double cost(const std::vector<Group>& groups, const Thinning& thinning) {
  double sum = 0;
  for (const auto& group : groups) {
    const auto& d = group.first().source->description();
    if (!is_field(d)) continue;
    const PictureSize size = picture_size(d);
    const std::size_t block = block_for(size, thinning.side);
    const double cells = static_cast<double>(blocks(size.rows, block) * blocks(size.columns, block));
    const double frames = static_cast<double>(std::min(group.first().times.size(), thinning.frames));
    sum += cells * frames * static_cast<double>(d.state.count(Role::state)) *
           static_cast<double>(2 * group.forecasts.size() + 1);
  }
  return sum * 4 / 3;
}

Thinning thinning_for(const std::vector<Group>& groups, std::size_t bytes) {
  Thinning thinning;
  while (cost(groups, thinning) > static_cast<double>(bytes) && thinning.side > 4) {
    if (thinning.frames > thinning.side / 2) {
      thinning.frames = thinning.frames * 3 / 4;
    } else {
      thinning.side = thinning.side * 3 / 4;
    }
  }
  return thinning;
}

// ---- JSON

Json points(const std::vector<Plane::Point>& all) {
  Json out = Json::array();
  for (const auto& point : all) out.push_back({brief(point[0]), brief(point[1])});
  return out;
}

Json values_of(const Movie& movie) {
  Json out = Json::array();
  for (std::size_t c = 0; c < movie.channels; ++c) {
    Json line = Json::array();
    for (std::size_t i = c; i < movie.values.size(); i += movie.channels)
      line.push_back(brief(double{movie.values[i]}));
    out.push_back(std::move(line));
  }
  return out;
}

Json states_of(const Movie& movie, const Plane& plane, const Colours& colours) {
  Json out{{"projection", points(plane.project(movie))}};
  if (movie.rows * movie.columns > 1) {
    out["fields"] = base64(quantised(movie, colours.states));
  } else {
    out["values"] = values_of(movie);
  }
  return out;
}

Json steps_of(const Forecast& forecast) {
  const auto column = [&](const char* name) {
    return data::read_small_array(forecast.file, forecast.index, "steps", name);
  };
  const auto time = column("time"), step = column("step"), nre = column("nre");
  if (time.empty() || step.size() != time.size() || nre.size() != time.size()) return {};
  const auto some = spread(time.size(), most_points);
  return {{"count", time.size()},
          {"time", brief(picked(time, some))},
          {"step", brief(picked(step, some))},
          {"nre", brief(picked(nre, some))}};
}

Json method_of(const Shown& shown, const Plane& plane, const Colours& colours, std::size_t side) {
  Json out{{"method", shown.forecast->method}};
  out.update(states_of(coarsened(shown.states, side), plane, colours));
  if (shown.errors.frames > 0) {
    out["rms"] = brief(rms(shown.errors));
    if (out.contains("fields"))
      out["errors"] = base64(quantised(coarsened(shown.errors, side), colours.errors));
  }
  out["steps"] = steps_of(*shown.forecast);
  return out;
}

// The parameters that the forecasts went under, where a method takes any.
std::string parameters_of(const Group& group) {
  for (const auto& forecast : group.forecasts) {
    const auto names = forecast.source->description().state.names(Role::parameter);
    if (names.empty()) continue;
    const auto values = data::parameters_of(*forecast.source, forecast.index);
    std::string out = "Parameters:";
    for (std::size_t i = 0; i < names.size(); ++i)
      out += fmt::format("{} {} = {:.4g}", i > 0 ? "," : "", names[i], values[i]);
    return out + ". ";
  }
  return "";
}

Json json_of(const Scene& scene, std::size_t side) {
  const Colours colours = colours_of(scene);
  const Movie seen = coarsened(scene.has_truth() ? scene.truth : scene.methods.front().states, side);
  const Plane plane(seen);
  const PictureSize source_size = picture_size(scene.about());
  Json out{{"data", scene.group.data},
           {"option", scene.group.option},
           {"evaluation", scene.group.evaluation},
           {"protocol", scene.group.protocol},
           {"sample", scene.group.sample},
           {"channels", scene.about().channels()},
           {"times", brief(picked(scene.group.first().times, scene.frames))},
           {"source_grid", {source_size.rows, source_size.columns}},
           {"grid", {seen.rows, seen.columns}},
           {"ranges", colours.json},
           {"explained", {brief(plane.explained()[0]), brief(plane.explained()[1])}},
           {"note", parameters_of(scene.group) + scene.note},
           {"truth", scene.has_truth() ? states_of(seen, plane, colours) : Json()},
           {"methods", Json::array()}};
  for (const auto& method : scene.methods) out["methods"].push_back(method_of(method, plane, colours, side));
  return out;
}

}  // namespace

Json scenes_of(Folder& folder, std::size_t bytes) {
  const auto groups = find_forecasts(folder, folder.notes);
  const Thinning thinning = thinning_for(groups, bytes);
  Json out = Json::array();
  Sources opened;
  for (const auto& group : groups) {
    try {
      out.push_back(json_of(read_scene(group, thinning, folder.path, opened), thinning.side));
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      folder.notes.push_back(
          fmt::format("The forecasts of {}, {} are not shown: {}.", group.data, group.option, error.what()));
    }
  }
  for (const auto& group : groups) {
    for (const auto& forecast : group.forecasts) folder.outside.push_back(forecast.file);
  }
  for (const auto& [name, source] : opened) {
    if (source) folder.outside.push_back(source->description().file);
  }
  return out;
}

}  // namespace cvf::report
