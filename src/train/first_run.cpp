#include "train/first_run.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"
#include "train/resolution.hpp"
#include "train/run_data.hpp"
#include "train/suggest.hpp"

namespace cvf::train {
namespace {

constexpr double minutes = 3;

// Lines of TOML, each table and key below the words that say why.
class Page {
 public:
  void words(const std::string& comment) {
    constexpr std::size_t width = 100;
    std::string line;
    for (const auto& word : text::split(comment, ' ')) {
      if (!line.empty() && line.size() + word.size() > width)
        text_.append("# ").append(std::exchange(line, "")).append("\n");
      line += (line.empty() ? "" : " ") + text::printable(word);
    }
    if (!line.empty()) text_.append("# ").append(line).append("\n");
  }
  void table(const std::string& name, const std::string& why) {
    text_ += "\n";
    words(why);
    text_ += "[" + name + "]\n";
  }
  template <class T>
  void key(std::string_view name, T value) {
    text_ += config::write([&](config::Section& s) { s.key(name, &value, ""); });
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string setting(fields::Settings& settings, const char* key) {
  const auto document =
      config::Document::from_text(config::write([&](config::Section& s) { settings.describe(s); }), "field");
  return document.look_up(key).value_or("");
}

std::string context_words(const data::ContextOptions& context, const StateSpec& state) {
  std::vector<std::string> kinds;
  if (!context.parameters.empty()) kinds.push_back("parameters (numbers of a sample)");
  if (state.count(Role::static_field) > 0) kinds.push_back("static fields");
  if (state.count(Role::control) > 0) kinds.push_back("controls (series in time)");
  if (state.count(Role::control_field) > 0) kinds.push_back("control fields");
  return kinds.empty() ? "" : "What the states move under, as the file names it: " + text::join(kinds) + ".";
}

std::string about(const data::Description& d) {
  const auto [fewest, most] = std::minmax_element(d.frames.begin(), d.frames.end());
  std::string out = fmt::format("{}: {} samples of {}", d.file, d.samples, *fewest);
  if (*fewest < *most) out += fmt::format(" to {}", *most);
  out += d.state.is_vector() ? " frames; vectors" : fmt::format(" frames; a grid of {}", d.state.grid_text());
  return out + fmt::format(" of {}.", text::join(d.channels()));
}

}  // namespace

std::string first_run(DataOptions data, const std::string& name,
                      const std::function<double(const RunOptions&)>& step_seconds) {
  const auto file = open_data(data);
  const data::Description d = file->description();
  check_axes(d);
  data.context = {d.state.names(Role::parameter), d.state.names(Role::static_field),
                  d.state.names(Role::control)};
  const auto indices = sample_indices(*file);
  std::erase_if(data.context.parameters, [&](const auto& parameter) {
    return std::ranges::find(indices, parameter) != indices.end();
  });
  for (const auto& control : d.state.names(Role::control_field)) data.context.controls.push_back(control);
  const auto source = open_data(data);
  const auto split = suggest_split(*source);
  const auto strides = suggest_strides(*source, split.lists.train, data::noise(*source, split.lists.train));

  Page page;
  page.words(about(d));
  page.words(fmt::format("Made by cvf init; all keys: cvf explain run. Next: cvf train {} && cvf report {}",
                         text::shell_quoted(name + ".toml"), text::shell_quoted(name)));
  page.key("seed", std::int64_t{0});
  page.table("data", context_words(data.context, d.state));
  page.key("file", data.file);
  if (!data.open.dataset.empty()) page.key("dataset", data.open.dataset);
  if (!data.open.axes.empty()) page.key("axes", data.open.axes);
  for (const auto& note : d.notes) page.words(note);
  if (data.open.dt > 0) page.key("dt", data.open.dt);
  if (!indices.empty()) {
    const std::string left_out = fmt::format(
        "{} counts the samples and is left out of the parameters; if it is one of the physics, name it in "
        "data.parameters.",
        text::join(indices));
    page.words(left_out);
    log::note("{}: {}", d.file, left_out);
  }
  if (!data.context.parameters.empty()) page.key("parameters", data.context.parameters);
  if (!data.context.statics.empty()) page.key("static", data.context.statics);
  if (!data.context.controls.empty()) page.key("controls", data.context.controls);
  page.table("split", split.why);
  const auto lists = data::explicit_options(split.lists);
  page.key("train", lists.train);
  if (!lists.validation.empty()) page.key("validation", lists.validation);
  if (!lists.test.empty()) page.key("test", lists.test);

  const auto so_far = [&] {
    auto out = RunOptions::read(config::Document::from_text(page.text(), "cvf init"));
    out.loader.strides = strides.strides;
    return out;
  };
  auto counted = so_far(), chosen = so_far();
  const RunData run_data = prepare(counted, "", 60 * minutes);
  double seconds = 0;  // of a step; 0: not measured
  const auto measured = [&](const RunOptions& options) {
    return seconds = step_seconds ? step_seconds(options) : measured_step(options, run_data);
  };
  const auto unresolved = [&](int patch) { return unresolved_energy(*source, split.lists.train, patch); };
  choose_sizes(
      chosen, run_data.spec.state, "",
      {.seconds = 60 * minutes, .rows = run_data.rows, .step_seconds = measured, .unresolved = unresolved});
  const bool on_grid = !d.state.is_vector();
  const auto boundary = on_grid ? suggest_boundary(*source, split.lists.train) : SuggestedBoundary{};
  page.table("field", on_grid ? "Convolutions: the states lie on a grid. " + boundary.why
                              : "A residual network: the states are vectors.");
  page.key("name", chosen.field.name);
  if (boundary.from_values) page.key("boundary", boundary.text);
  for (const char* size : {"width", "depth", "patch"}) {
    const std::string value = setting(*chosen.field.settings, size);
    if (!value.empty()) page.key(size, static_cast<std::int64_t>(text::to_integer(value, size)));
  }
  page.table("loader", strides.why);
  page.key("strides", strides.strides);
  page.key("batch", chosen.loader.batch);
  page.table(
      "train",
      fmt::format("Sized to take {:g} minutes at most on {} threads, and ended there{}. More is better: "
                  "steps = {}, minutes = 0 (no bound).",
                  minutes, threads::count(),
                  seconds > 0 ? fmt::format(": a step was measured to take {:.2g} s", seconds) : "",
                  5 * chosen.length.steps));
  page.key("steps", chosen.length.steps);
  page.key("minutes", minutes);
  return page.text();
}

}  // namespace cvf::train
