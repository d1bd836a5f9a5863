#include "train/first_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"
#include "data/audit.hpp"
#include "train/run_data.hpp"

namespace cvf::train {
namespace {

constexpr double minutes = 3;
constexpr double largest_change = 1.0 / 3;
constexpr std::size_t fewest_intervals = 10;

// Lines of TOML, each table and key below the words that say why.
class Page {
 public:
  void words(const std::string& comment) {
    constexpr std::size_t width = 100;
    std::string line;
    for (const auto& word : text::split(comment, ' ')) {
      if (!line.empty() && line.size() + word.size() > width) text_ += "# " + std::exchange(line, "") + "\n";
      line += (line.empty() ? "" : " ") + text::printable(word);
    }
    if (!line.empty()) text_ += "# " + line + "\n";
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

// ---- which samples

bool sorted_by(const data::Source& source, std::size_t parameter) {
  const std::size_t samples = source.description().samples;
  bool up = true, down = true, varies = false;
  double before = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    interrupt::throw_if_requested("nothing was written");
    const double here = data::parameters_of(source, i)[parameter];
    if (i > 0) {
      up = up && here >= before;
      down = down && here <= before;
      varies = varies || here != before;
    }
    before = here;
  }
  return samples > 2 && varies && (up || down);
}

struct ChosenSplit {
  data::Splits lists;
  std::string why;
};

// Every tenth sample from the middle of its ten on, and at most 20: the lists stay short.
ChosenSplit spread(std::size_t samples, const std::string& parameter) {
  const std::size_t each = std::clamp<std::size_t>(samples / 10, 1, 20), stride = samples / each;
  ChosenSplit out{.lists = {},
                  .why = fmt::format("The samples are sorted by '{}', so those that validate and test are "
                                     "spread over the file.",
                                     parameter)};
  for (std::size_t i = 0; i < samples; ++i) {
    const bool within = i / stride < each;
    auto& list = within && i % stride == stride / 3       ? out.lists.validation
                 : within && i % stride == 2 * stride / 3 ? out.lists.test
                                                          : out.lists.train;
    list.push_back(i);
  }
  return out;
}

ChosenSplit split_of(const data::Source& source) {
  const auto& d = source.description();
  if (d.samples < 3) {
    ChosenSplit out{.lists = {}, .why = "With fewer than three samples none is left to test on."};
    out.lists.train.resize(d.samples);
    std::iota(out.lists.train.begin(), out.lists.train.end(), std::size_t{0});
    return out;
  }
  const auto parameters = d.state.names(Role::parameter);
  for (std::size_t p = 0; p < parameters.size() && d.samples >= 5; ++p) {
    if (sorted_by(source, p)) return spread(d.samples, parameters[p]);
  }
  const double tenth = std::max(0.1, 1.0 / static_cast<double>(d.samples));
  return {data::make_splits({"", "", "", tenth, tenth}, d.samples),
          "In file order: most samples train, a tenth chooses the best model, a tenth is for the test."};
}

// ---- which frames

// RMS difference of frames `lag` apart beside the standard deviation of the states, mean over channels, in a
// few samples.
class Change {
 public:
  Change(const data::Source& source, const std::vector<std::size_t>& samples) : source_(source) {
    constexpr std::size_t most = 8;
    const std::size_t stride = std::max<std::size_t>(1, samples.size() / most);
    for (std::size_t i = 0; i < samples.size(); i += stride) looked_at_.push_back(samples[i]);
  }

  double at(std::size_t lag) const {
    const auto& d = source_.description();
    const std::size_t channels = d.state.count(Role::state);
    std::vector<double> sum(channels), squares(channels), moved(channels);
    std::vector<float> first(d.frame_size()), second(d.frame_size());
    double states = 0, pairs = 0;
    for (const auto sample : looked_at_) {
      const std::size_t frames = d.frames[sample];
      for (std::size_t k = 0; k + lag < frames; k += std::max<std::size_t>(1, frames / 8)) {
        interrupt::throw_if_requested("nothing was written");
        source_.read(sample, k, 1, first);
        source_.read(sample, k + lag, 1, second);
        data::require_finite(source_, sample, k, first);
        data::require_finite(source_, sample, k + lag, second);
        for (std::size_t i = 0; i < first.size(); ++i) {
          const double a = first[i], b = second[i];
          sum[i % channels] += a + b;
          squares[i % channels] += a * a + b * b;
          moved[i % channels] += (b - a) * (b - a);
        }
        states += 2 * static_cast<double>(first.size() / channels);
        pairs += static_cast<double>(first.size() / channels);
      }
    }
    double out = 0, counted = 0;
    for (std::size_t c = 0; c < channels; ++c) {
      const double variance = squares[c] / states - sum[c] / states * (sum[c] / states);
      if (!(variance > 0)) continue;  // a channel that never changes
      out += std::sqrt(moved[c] / pairs / variance);
      counted += 1;
    }
    return counted > 0 ? out / counted : 0;
  }

 private:
  const data::Source& source_;
  std::vector<std::size_t> looked_at_;
};

struct ChosenFrames {
  int factor = 1;
  std::string why;
};

ChosenFrames frames_of(const data::Source& source, const std::vector<std::size_t>& training) {
  const auto& d = source.description();
  std::size_t fewest = d.frames[training.front()];
  for (const auto sample : training) fewest = std::min(fewest, d.frames[sample]);
  if (fewest < 2) throw DataError("{}: has samples of one frame, so there is no step to learn", d.file);
  for (const auto sample : training) {
    if (!data::evenly_spaced(source.times(sample)))
      return {1, "The times are uneven: every frame counts, each with its own step."};
  }
  const Change change(source, training);
  const double of_one = change.at(1);
  double of_chosen = of_one;
  ChosenFrames out;
  for (const int factor : {2, 4, 8}) {
    if ((fewest - 1) / static_cast<std::size_t>(factor) < fewest_intervals) break;
    const double here = change.at(static_cast<std::size_t>(factor));
    if (here > largest_change) break;
    out.factor = factor;
    of_chosen = here;
  }
  out.why = fmt::format("Neighbouring frames differ by {:.2g} % of the state's spread", 100 * of_one);
  out.why += out.factor == 1 ? ", so training sees every frame."
                             : fmt::format(
                                   ", those {} apart by {:.2g} %: training sees one frame in {}, which is "
                                   "quicker to learn from; forecasts are for any time.",
                                   out.factor, 100 * of_chosen, out.factor);
  return out;
}

// ---- the field

std::string setting(fields::Settings& settings, const char* key) {
  const auto document =
      config::Document::from_text(config::write([&](config::Section& s) { settings.describe(s); }), "field");
  return document.look_up(key).value_or("");
}

std::string field_words(const RunOptions& o, const data::Description& d) {
  if (o.field.name == "mlp") return "A residual network: the states are vectors.";
  std::string out = "Convolutions: the states lie on a grid.";
  const std::string boundary = d.state.boundary();
  if (boundary.find("unknown") == std::string::npos)
    return out + fmt::format(" They continue it beyond its sides as the file says: {}.", boundary);
  return out +
         " The file does not say what lies beyond its sides, so values at the edge are repeated; if the grid "
         "is periodic: boundary = \"periodic\".";
}

std::string context_words(const data::Description& d) {
  std::vector<std::string> kinds;
  if (d.state.count(Role::parameter) > 0) kinds.push_back("parameters (numbers of a sample)");
  if (d.state.count(Role::static_field) > 0) kinds.push_back("static fields");
  if (d.state.count(Role::control) > 0) kinds.push_back("controls (series in time)");
  if (d.state.count(Role::control_field) > 0) kinds.push_back("control fields");
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

std::string first_run(DataOptions data, const std::string& name) {
  const data::Description d = open_data(data)->description();
  check_axes(d);
  data.context = {d.state.names(Role::parameter), d.state.names(Role::static_field),
                  d.state.names(Role::control)};
  for (const auto& name : d.state.names(Role::control_field)) data.context.controls.push_back(name);
  const auto source = open_data(data);
  const auto split = split_of(*source);
  const auto frames = frames_of(*source, split.lists.train);

  Page page;
  page.words(about(d));
  page.words(fmt::format(
      "Made by cvf init; all keys: cvf explain run. Next: cvf train {0}.toml && cvf report {0}", name));
  page.key("seed", std::int64_t{0});
  page.table("data", context_words(d));
  page.key("file", data.file);
  if (!data.open.dataset.empty()) page.key("dataset", data.open.dataset);
  if (!data.open.axes.empty()) page.key("axes", data.open.axes);
  for (const auto& note : d.notes) page.words(note);
  if (data.open.dt > 0) page.key("dt", data.open.dt);
  if (!data.context.parameters.empty()) page.key("parameters", data.context.parameters);
  if (!data.context.statics.empty()) page.key("static", data.context.statics);
  if (!data.context.controls.empty()) page.key("controls", data.context.controls);
  page.table("split", split.why);
  const auto lists = data::explicit_options(split.lists);
  page.key("train", lists.train);
  if (!lists.validation.empty()) page.key("validation", lists.validation);
  if (!lists.test.empty()) page.key("test", lists.test);
  page.table("downsampling", frames.why);
  page.key("factor", frames.factor);

  auto chosen = RunOptions::read(config::Document::from_text(page.text(), "cvf init"));
  prepare(chosen, "", 60 * minutes);
  page.table("field", field_words(chosen, d));
  page.key("name", chosen.field.name);
  for (const char* size : {"width", "depth", "patch"}) {
    const std::string value = setting(*chosen.field.settings, size);
    if (!value.empty()) page.key(size, static_cast<std::int64_t>(text::to_integer(value, size)));
  }
  page.table("loader", "");
  page.key("batch", chosen.loader.batch);
  page.table("train",
             fmt::format("Sized to take {:g} minutes at most on {} threads, and ended there. More is better: "
                         "steps = {}, minutes = 0 (no bound).",
                         minutes, threads::count(), 5 * chosen.length.steps));
  page.key("steps", chosen.length.steps);
  page.key("minutes", minutes);
  return page.text();
}

}  // namespace cvf::train
