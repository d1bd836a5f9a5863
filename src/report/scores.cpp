#include "report/scores.hpp"

#include <limits>
#include <string_view>

#include "report/thin.hpp"

namespace cvf::report {
namespace {

constexpr std::size_t most_frames = 200;

double number_at(const Json& pair, std::size_t index) {
  if (!pair.is_array() || pair.size() <= index || !pair[index].is_number()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return pair[index].get<double>();
}

// [[frame, value], ...] as two lists.
Json per_frame(const Json& pairs) {
  std::vector<double> frames, values;
  for (const auto index : spread(pairs.size(), most_frames)) {
    frames.push_back(number_at(pairs[index], 0));
    values.push_back(number_at(pairs[index], 1));
  }
  return {{"frame", brief(frames)}, {"value", brief(values)}};
}

Json score(const Json& from) {
  Json out{{"value", Json()}, {"status", text_in(from, "status")}};
  if (const auto value = number_in(from, "value")) out["value"] = brief(*value);
  if (part_of(from, "per_frame").is_array()) out["per_frame"] = per_frame(from["per_frame"]);
  if (part_of(from, "parts").is_object()) out["parts"] = from["parts"];
  return out;
}

Json protocol(const Json& from) {
  Json out = Json::object();
  if (!from.is_object()) return out;
  for (const auto& [name, part] : from.items()) {
    if (name == "trust" || name == "divergence") {
      out[name] = part;
    } else if (part.is_object()) {
      out[name] = score(part);
    }
  }
  return out;
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
    for (const auto* part : {"one_step", "time_informed", "direct"}) {
      if (evaluation.contains(part)) into[part] = protocol(evaluation[part]);
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
