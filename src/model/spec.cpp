#include "model/spec.hpp"

#include <cmath>
#include <set>

#include "core/errors.hpp"
#include "core/registry.hpp"

namespace cvf::model {
namespace {

// Free keys do not fit a description that refuses unknown ones: a list of key=text does.
std::vector<std::string> lines_of(const std::map<std::string, std::string>& provenance) {
  std::vector<std::string> lines;
  for (const auto& [key, text] : provenance) lines.push_back(key + "=" + text);
  return lines;
}

std::map<std::string, std::string> provenance_of(const std::vector<std::string>& lines) {
  std::map<std::string, std::string> out;
  for (const auto& line : lines) {
    const auto equals = line.find('=');
    if (equals == std::string::npos) throw ModelError("provenance '{}' is not key=text", line);
    out[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return out;
}

void check_range(std::string_view name, const std::vector<double>& range) {
  const bool good = range.empty() || (range.size() == 2 && std::isfinite(range[0]) &&
                                      std::isfinite(range[1]) && range[0] <= range[1]);
  if (!good) throw ModelError("{} must be empty or two rising numbers", name);
}

}  // namespace

void StateFacts::describe(config::Section& s) {
  s.key("channels", &channels, "names of the state's channels, in order");
  s.key("ny", &ny, "rows of the grid", config::at_least(1));
  s.key("nx", &nx, "columns of the grid; 1 x 1 is a vector state", config::at_least(1));
  s.key("y_range", &y_range, "first and last y coordinate");
  s.key("x_range", &x_range, "first and last x coordinate");
  s.key("boundary", &boundary, "boundary of the domain");
  s.key("dt_ref", &dt_ref, "training frame interval, the unit of the field's step", config::above(0));
  s.key("delta_min", &delta_min, "spacing of the source frames", config::above(0));
  s.key("largest_dt", &largest_dt, "longest step in training", config::above(0));
  s.key("data_hash", &data_hash, "hash of the training data");
}

void ModelSpec::describe(config::Section& s) {
  s.key("precision", &precision, "type of the weights", config::one_of({"float32", "float64"}));
  std::vector<std::string> lines = lines_of(provenance);
  s.key("provenance", &lines, "how the model came about, key=text");
  provenance = provenance_of(lines);
  s.table("state", "what the model was trained on", [this](config::Section& t) { state.describe(t); });
  s.table("context", "what its states move under", [this](config::Section& t) { context.describe(t); });
  s.table("field", "the velocity field", [this](config::Section& t) { field.describe(t); });
  s.table("normalizer", "between physical and model units", [this](config::Section& t) {
    t.key("name", &normalizer, "which normalizer", config::one_of(names(normalizers::registry())));
    normalizer_options.describe(t);
  });
}

fields::StateShape ModelSpec::shape() const {
  const bool is_vector = state.ny == 1 && state.nx == 1;
  fields::StateShape out{.channels = static_cast<std::int64_t>(state.channels.size()),
                         .height = is_vector ? 0 : state.ny,
                         .width = is_vector ? 0 : state.nx,
                         .dt_ref = state.dt_ref,
                         .boundary = parse_boundary(state.boundary).value_or(GridBoundary{})};
  context.add_to(out);
  return out;
}

void ModelSpec::check() const {
  const std::set<std::string> distinct(state.channels.begin(), state.channels.end());
  if (distinct.empty()) throw ModelError("the model has no channels");
  if (distinct.size() != state.channels.size()) throw ModelError("two channels have the same name");
  for (const double step : {state.dt_ref, state.delta_min, state.largest_dt}) {
    if (!std::isfinite(step) || step <= 0) throw ModelError("a step of {} makes no model", step);
  }
  context.check();
  check_range("y_range", state.y_range);
  check_range("x_range", state.x_range);
  for (const auto& [key, text] : provenance) {
    if (key.find('=') != std::string::npos) throw ModelError("provenance key '{}' has a '='", key);
  }
}

std::string to_toml(ModelSpec spec) {
  return config::write([&spec](config::Section& s) { spec.describe(s); });
}

ModelSpec from_toml(std::string_view text, const std::string& name) {
  try {
    ModelSpec spec;
    config::Document::from_text(text, name).read([&spec](config::Section& s) { spec.describe(s); });
    spec.check();
    return spec;
  } catch (const ConfigError& error) {
    throw ModelError("{}", error.what());  // names the file already
  } catch (const ModelError& error) {
    throw ModelError("{}: {}", name, error.what());
  }
}

}  // namespace cvf::model
