#include "train/run_data.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "core/machine.hpp"
#include "data/order.hpp"
#include "objectives/default_solver.hpp"
#include "train/resolution.hpp"
#include "train/suggest.hpp"

namespace cvf::train {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Rounding of time stamps (0.1, 0.2, 0.30000000000000004) must not make a step of 0.09999999999999998.
double tidy(double step) {
  return std::stod(fmt::format("{:.12g}", step));
}

// Even steps, or the longest of steps that scatter a little. Where a frame is missing here and there, or
// frames are random, it leaves out the rare long gaps, on which a field is at its worst. Where gaps are short
// or long and none between, the mean: that many short ones would cost too much.
double usual_step(const std::vector<double>& steps) {
  const double mean = std::accumulate(steps.begin(), steps.end(), 0.0) / static_cast<double>(steps.size());
  double longest = 0;
  for (const double step : steps) {
    if (step <= 1.25 * mean) longest = std::max(longest, step);
  }
  return longest >= mean / 2 ? longest : mean;
}

struct Steps {
  std::vector<double> source, training;                   // between neighbouring frames
  std::map<std::int64_t, std::vector<double>> by_stride;  // of the pairs that training draws
};

void add_steps(Steps& steps, const std::vector<double>& times, const std::vector<std::size_t>& kept,
               const std::vector<std::int64_t>& strides) {
  for (std::size_t i = 1; i < times.size(); ++i) steps.source.push_back(times[i] - times[i - 1]);
  for (std::size_t i = 1; i < kept.size(); ++i) {
    steps.training.push_back(times[kept[i]] - times[kept[i - 1]]);
    for (const auto stride : strides) {
      const auto back = static_cast<std::size_t>(stride);
      if (back <= i) steps.by_stride[stride].push_back(times[kept[i]] - times[kept[i - back]]);
    }
  }
}

Steps steps_of(const data::Source& source, const std::vector<std::size_t>& samples, const RunOptions& o) {
  Steps steps;
  for (const std::size_t sample : samples) {
    interrupt::throw_if_requested("the run had not begun");
    const auto times = source.times(sample);
    const auto kept =
        data::kept_frames(o.downsampling, times.size(), static_cast<std::uint64_t>(o.seed), sample);
    add_steps(steps, times, kept, o.loader.strides);
  }
  if (steps.training.empty()) {
    throw DataError("{}: after down-sampling by {} no training sample has two frames",
                    source.description().file, o.downsampling.factor);
  }
  if (steps.by_stride.empty()) {
    throw DataError("{}: no training sample has frames that are loader.strides = [{}] apart",
                    source.description().file, fmt::join(o.loader.strides, ", "));
  }
  return steps;
}

model::StateFacts facts(const data::Source& source, const Steps& steps, const RunOptions& o) {
  const data::Description& d = source.description();
  model::StateFacts out;
  out.set_names(Role::state, d.channels());
  out.axes = d.state.axes;
  for (auto& axis : out.axes) {
    if (!axis.coordinates.empty()) axis.coordinates = {axis.coordinates.front(), axis.coordinates.back()};
  }
  out.dt_ref = o.data.dt_ref > 0 ? o.data.dt_ref : tidy(median(steps.training));
  out.delta_min = o.data.delta_min > 0 ? o.data.delta_min : tidy(median(steps.source));
  out.largest_dt = 0;
  for (const auto& [stride, pairs] : steps.by_stride) {
    out.largest_dt = std::max(out.largest_dt, tidy(*std::max_element(pairs.begin(), pairs.end())));
  }
  const double usual = tidy(usual_step(steps.by_stride.rbegin()->second));  // of the pairs farthest apart
  out.usual_dt = std::min(std::max(usual, out.delta_min), out.largest_dt);
  out.data_hash = data_hash(o.data.file);
  return out;
}

model::ContextSpec context_spec(const data::Source& source, const std::vector<std::size_t>& samples,
                                int nodes) {
  model::ContextSpec out;
  const auto& names = source.description().context;
  if (names.empty()) return out;
  std::vector<SampleContextPointer> contexts;
  for (const auto sample : samples) {
    interrupt::throw_if_requested("the run had not begun");
    contexts.push_back(source.context(sample));
  }
  out.fit(names, contexts);
  out.nodes = nodes;
  return out;
}

// The run file of a run that goes on. Without checkpoints a run.toml may be anybody's, and is not looked at.
std::optional<config::Document> run_before(const std::string& folder) {
  const std::string file = folder + "/run.toml";
  if (folder.empty() || !std::filesystem::exists(folder + "/checkpoints")) return std::nullopt;
  if (!std::filesystem::exists(file)) return std::nullopt;
  return config::Document::from_file(file);
}

// field.boundary = "auto" becomes what the file states, else what its values show, so that run.toml and
// model.toml hold it. A run that is resumed keeps the value of its own run.toml.
void resolve_boundary(RunOptions& o, const std::string& folder, RunData& run) {
  fields::Settings& settings = *o.field.settings;
  const auto describe = [&settings](config::Section& s) { settings.describe(s); };
  const auto stated = config::Document::from_text(config::write(describe), "field").look_up("boundary");
  if (stated != "auto" || run.source->description().state.is_vector()) return;
  const auto set = [&](const std::string& boundary) {
    config::Document::from_text(fmt::format("boundary = \"{}\"", boundary), o.data.file).read(describe);
  };
  const auto before = run_before(folder);
  if (const auto kept = before ? before->look_up("field.boundary") : std::nullopt; kept && kept != "auto") {
    set(*kept);
    return;
  }
  const auto boundary = suggest_boundary(*run.source, run.splits.train);
  set(boundary.text);
  run.notes.push_back(
      fmt::format("{}: field.boundary = \"{}\". {}", o.data.file, boundary.text, boundary.why));
}

// A resumed run keeps the epsilon of its folder; folders without the key have the absolute ones.
void keep_epsilon(RunOptions& o, const std::string& folder) {
  const auto before = run_before(folder);
  if (o.epsilon_given || !before) return;
  const auto kept = before->look_up("normalizer.relative_epsilon");
  o.normalizer_options.relative_epsilon = kept ? std::stod(*kept) : 0;
}

void check_objective(const RunOptions& o) {
  const bool strided =
      std::any_of(o.loader.strides.begin(), o.loader.strides.end(), [](auto s) { return s != 1; });
  if (o.objective.name == "tm" && strided) {
    throw ConfigError("objective 'tm' follows a spline from frame to frame: loader.strides must be [1]");
  }
}

// A run that goes on keeps the solver that it was begun with, whatever the default is by now.
void keep_solver(RunOptions& o, const std::string& folder) {
  const auto before = run_before(folder);
  if (!o.solver_left_out || !before) return;
  const std::string former(objectives::searching_solver(o.objective.name));
  const std::string name = before->look_up("solver.name").value_or(former);
  if (name == o.solver.name) return;
  o.solver = solvers::Choice(name);
  before->only("solver").read([&o](config::Section& s) {
    s.table("solver", "", [&o](config::Section& t) { o.solver.describe(t); });
  });
}

// To a hundredth of the spacing, beside what float32 makes of the coordinates.
void check_even(const Axis& axis, const std::string& file) {
  constexpr double tolerance = 1e-2, rounding = 3e-7;
  const auto& x = axis.coordinates;
  if (x.size() < 2) return;
  const double spacing = (x.back() - x.front()) / static_cast<double>(x.size() - 1);
  const double allowed =
      tolerance * std::abs(spacing) + rounding * std::max(std::abs(x.front()), std::abs(x.back()));
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (spacing > 0 && std::abs(x[i] - x[i - 1] - spacing) <= allowed) continue;
    throw DataError(
        "{}: its {} coordinates are not evenly spaced: entry {} is {:g} and entry {} is {:g}, where {:g} is "
        "the mean; fields are trained on even grids: interpolate the states onto one, or write the file "
        "without these coordinates",
        file, axis.name, i - 1, x[i - 1], i, x[i], spacing);
  }
}

// Of an epoch.
std::size_t count_rows(const data::Source& source, const std::vector<std::size_t>& samples,
                       const RunOptions& o) {
  std::vector<std::size_t> lengths;
  for (const std::size_t sample : samples) {
    const std::size_t frames = source.description().frames.at(sample);
    lengths.push_back(
        data::kept_frames(o.downsampling, frames, static_cast<std::uint64_t>(o.seed), sample).size());
  }
  data::OrderOptions order{.frames_per_row = static_cast<std::size_t>(o.objective.build()->needs().frames),
                           .strides = {o.loader.strides.begin(), o.loader.strides.end()}};
  return data::Order(samples, std::move(lengths), order).rows_per_epoch();
}

}  // namespace

void provide_data(RunOptions& o) {
  if (o.data.file.empty()) throw ConfigError("data.file is missing: which file to learn from");
  if (std::filesystem::exists(o.data.file) || o.generate_system == "none") return;
  const auto folder = std::filesystem::path(o.data.file).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder);
  log::note("{} is missing: generating it from [generate]", o.data.file);
  generate::generate(o.generate, o.data.file);
}

void check_axes(const data::Description& d) {
  if (d.state.axes.size() > 2) {
    throw DataError("{}: its states are on {}; fields are trained on up to two axes so far", d.file,
                    d.state.grid_text());
  }
  for (const auto& axis : d.state.axes) check_even(axis, d.file);
}

RunData prepare(RunOptions& o, const std::string& folder, double seconds) {
  check_objective(o);
  keep_epsilon(o, folder);
  RunData out;
  out.source = open_data(o.data);
  check_axes(out.source->description());
  out.splits = data::make_splits(o.split, *out.source);
  if (out.splits.train.empty()) throw ConfigError("split: no sample is left for training");
  out.spec.state = facts(*out.source, steps_of(*out.source, out.splits.train, o), o);
  out.spec.context = context_spec(*out.source, out.splits.train, o.data.nodes);
  for (const auto& note : out.source->description().notes)
    out.notes.push_back(fmt::format("{}: {}", o.data.file, note));
  out.rows = count_rows(*out.source, out.splits.train, o);
  const auto unresolved = [&](int patch) { return unresolved_energy(*out.source, out.splits.train, patch); };
  const std::string chosen = choose_sizes(o, out.spec.state, folder,
                                          {.seconds = seconds, .rows = out.rows, .unresolved = unresolved});
  if (!chosen.empty()) out.notes.push_back(chosen);
  if (out.splits.validation.empty() && o.validation.steps >= 0)
    out.notes.push_back(
        fmt::format("{}: no samples for validation, so no best model is chosen: the run keeps its last one",
                    o.data.file));
  keep_solver(o, folder);
  resolve_boundary(o, folder, out);
  out.spec.field = o.field;
  out.spec.members = o.length.members;
  out.spec.normalizer = o.normalizer;
  out.spec.normalizer_options = o.normalizer_options;
  out.spec.precision = o.precision;
  out.spec.provenance = {{"program", fmt::format("cvf {}", version)},
                         {"objective", o.objective.name},
                         {"seed", fmt::format("{}", o.seed)}};
  return out;
}

}  // namespace cvf::train
