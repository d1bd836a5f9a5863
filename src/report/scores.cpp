#include <limits>
#include <string_view>

#include "report/json.hpp"
#include "report/sections.hpp"

namespace cvf::report {
namespace {

constexpr std::size_t most_frames = 200;

double number_at(const Json& pair, std::size_t index) {
  if (!pair.is_array() || pair.size() <= index || !pair[index].is_number()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return pair[index].get<double>();
}

double time_of(const Json& times, double frame) {
  return frame >= 0 && frame < static_cast<double>(times.size())
             ? number_at(times, static_cast<std::size_t>(frame))
             : std::numeric_limits<double>::quiet_NaN();
}

// [[frame, value], ...] as two lists, and a third one where the times of frames are known.
Json per_frame(const Json& pairs, const Json& times) {
  std::vector<double> frames, values, when;
  for (const auto index : spread(pairs.size(), most_frames)) {
    frames.push_back(number_at(pairs[index], 0));
    values.push_back(number_at(pairs[index], 1));
    when.push_back(time_of(times, frames.back()));
  }
  Json out{{"frame", brief(frames)}, {"value", brief(values)}};
  if (times.is_array()) out["time"] = brief(when);
  return out;
}

Json score(const Json& from, const Json& times) {
  Json out{{"value", Json()}, {"status", text_in(from, "status")}};
  if (const auto value = number_in(from, "value")) out["value"] = brief(*value);
  if (part_of(from, "per_frame").is_array()) out["per_frame"] = per_frame(from["per_frame"], times);
  if (part_of(from, "parts").is_object()) out["parts"] = from["parts"];
  return out;
}

Json baseline(const Json& from, const Json& times) {
  Json out{{"about", text_in(from, "about")}};
  for (const auto& [name, part] : from.items()) {
    if (part.is_object()) out[name] = score(part, times);
  }
  return out;
}

Json protocol(const Json& from, const Json& times) {
  Json out = Json::object();
  if (!from.is_object()) return out;
  for (const auto& [name, part] : from.items()) {
    if (name == "trust" || name == "divergence") {
      out[name] = part;
    } else if (name == "baselines") {
      for (const auto& [key, one] : part.items()) {
        if (one.is_object()) out[name][key] = baseline(one, times);
      }
    } else if (part.is_object()) {
      out[name] = score(part, times);
    }
  }
  return out;
}

// When training looked, in the time of the evaluation.
Json training_times(const Json& frames) {
  const Json &seen = part_of(frames, "training"), &times = part_of(frames, "time");
  std::vector<double> out;
  for (const auto index : spread(seen.is_array() ? seen.size() : 0, most_frames))
    out.push_back(time_of(times, number_at(seen, index)));
  return brief(out);
}

// The first line of the solver's TOML is its name.
std::string solver_name(const Json& origin) {
  const std::string toml = text_in(origin, "solver");
  const auto begin = toml.find('"'), end = toml.find('"', begin + 1);
  return end == std::string::npos ? "" : toml.substr(begin + 1, end - begin - 1);
}

}  // namespace

Json scores_of(const Json& evaluations) {
  Json out = Json::object();
  if (!evaluations.is_object()) return out;
  for (const auto& [name, evaluation] : evaluations.items()) {
    if (!evaluation.is_object()) continue;
    const Json& origin = part_of(evaluation, "origin");
    Json& into =
        out[name] = {{"solver", solver_name(origin)}, {"every_frame", text_in(origin, "every_frame")}};
    const Json& frames = part_of(evaluation, "frames");
    into["training"] = training_times(frames);
    for (const auto* part : {"one_step", "time_informed", "direct", "forecast"}) {
      if (evaluation.contains(part)) into[part] = protocol(evaluation[part], part_of(frames, "time"));
    }
  }
  return out;
}

Json json_of(const Cell& cell) {
  return {{"data", cell.data},     {"option", cell.option},
          {"method", cell.method}, {"seed", cell.seed},
          {"failed", cell.failed}, {"sentence", cell.sentence},
          {"train", cell.train},   {"evaluations", scores_of(cell.evaluations)}};
}

}  // namespace cvf::report
