#include "model/spec_of.hpp"

#include <cmath>
#include <iterator>
#include <set>

#include "core/errors.hpp"
#include "core/machine.hpp"

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

void check_range(std::string_view axis, const std::vector<double>& range) {
  const bool good = range.empty() || (range.size() == 2 && std::isfinite(range[0]) &&
                                      std::isfinite(range[1]) && range[0] <= range[1]);
  if (!good) throw ModelError("{}_range must be empty or two rising numbers", axis);
}

// Each axis that a grid may have is a pair of keys; leading ones of one cell are none.
void describe_axes(StateSpec& state, config::Section& s) {
  constexpr const char* all_axes[]{"z", "y", "x"};
  std::vector<std::int64_t> sizes;
  std::vector<std::vector<double>> ranges;
  for (const char* name : all_axes) {
    sizes.push_back(static_cast<std::int64_t>(state.size_along(name)));
    ranges.push_back(state.coordinates(name));
  }
  for (std::size_t i = 0; i < std::size(all_axes); ++i)
    s.key(fmt::format("n{}", all_axes[i]), &sizes[i], fmt::format("cells along {}", all_axes[i]),
          config::at_least(1));
  for (std::size_t i = 0; i < std::size(all_axes); ++i)
    s.key(fmt::format("{}_range", all_axes[i]), &ranges[i],
          fmt::format("first and last {} coordinate", all_axes[i]));
  std::string boundary = state.boundary();
  s.key("boundary", &boundary, "boundary of the domain");
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < std::size(all_axes); ++i) {
    check_range(all_axes[i], ranges[i]);
    axes.push_back({all_axes[i], static_cast<std::size_t>(sizes[i]), ranges[i]});
  }
  state.set_axes(std::move(axes));
  if (!state.set_boundary(boundary)) state.set_boundary("unknown");
}

}  // namespace

void StateFacts::describe(config::Section& s) {
  std::vector<std::string> states = names();
  s.key("channels", &states, "names of the state's channels, in order");
  set_names(Role::state, states);
  describe_axes(*this, s);
  s.key("dt_ref", &dt_ref, "training frame interval, the unit of the field's step", config::above(0));
  s.key("delta_min", &delta_min, "spacing of the source frames", config::above(0));
  s.key("largest_dt", &largest_dt, "longest step in training", config::above(0));
  s.key("usual_dt", &usual_dt, "longest step that training saw often, the solvers' bound; 0: largest_dt",
        config::at_least(0));
  s.key("data_hash", &data_hash, "hash of the training data");
  s.key("lowest", &lowest, "least value of each channel in training; empty: not known");
  s.key("highest", &highest, "largest value of each channel in training");
}

void describe(Provenance& provenance, config::Section& s) {
  std::vector<std::string> lines = lines_of(provenance);
  s.key("provenance", &lines, "how the model came about, key=text");
  provenance = provenance_of(lines);
}

void check(const StateFacts& state, const Provenance& provenance) {
  const auto channels = state.names();
  const std::set<std::string> distinct(channels.begin(), channels.end());
  if (distinct.empty()) throw ModelError("the model has no channels");
  if (distinct.size() != channels.size()) throw ModelError("two channels have the same name");
  for (const double step : {state.dt_ref, state.delta_min, state.largest_dt}) {
    if (!std::isfinite(step) || step <= 0) throw ModelError("a step of {} makes no model", step);
  }
  if (!(state.usual_dt >= 0 && state.usual_dt <= state.largest_dt)) {
    throw ModelError("usual_dt = {} is not between 0 and largest_dt = {}", state.usual_dt, state.largest_dt);
  }
  if (state.lowest.size() != state.highest.size() ||
      (!state.lowest.empty() && state.lowest.size() != channels.size()))
    throw ModelError("lowest and highest do not have a value for each of {} channels", channels.size());
  for (std::size_t c = 0; c < state.lowest.size(); ++c) {
    if (!(std::isfinite(state.lowest[c]) && std::isfinite(state.highest[c]) &&
          state.lowest[c] <= state.highest[c]))
      throw ModelError("lowest and highest of channel '{}' are no range", channels[c]);
  }
  for (const auto& [key, text] : provenance) {
    if (key.find('=') != std::string::npos) throw ModelError("provenance key '{}' has a '='", key);
  }
}

void refuse_beyond_memory(std::string_view field, double values, std::string_view precision) {
  const double bytes = values * (precision == "float64" ? 4 + 8 : 4);  // drawn in float32, then widened
  if (!memory::exceeds(bytes)) return;
  throw ConfigError("field '{}' would have {:.3g} parameters, which {}; a smaller field or grid would fit",
                    field, values, memory::shortage(bytes));
}

config::Document spec_document(std::string_view text, const std::string& name) {
  auto out = config::Document::from_text(text, name);
  if (out.look_up("field.name") == "conv" && !out.look_up("field.activation"))
    out.set("field.activation=gelu");
  if (!out.look_up("normalizer.relative_epsilon")) out.set("normalizer.relative_epsilon=0");
  return out;
}

void reading_spec(const std::string& name, const std::function<void()>& read) {
  try {
    read();
  } catch (const ConfigError& error) {
    throw ModelError("{}", error.what());  // names the file already
  } catch (const ModelError& error) {
    throw ModelError("{}: {}", name, error.what());
  }
}

}  // namespace cvf::model
