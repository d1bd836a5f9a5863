#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/json_text.hpp"
#include "cli/verbs.hpp"
#include "core/interrupt.hpp"
#include "core/text.hpp"

namespace cvf::cli {
namespace {

using text::printable;  // names, texts and notes come from a file, which may be a stranger's

struct Range {
  double low = INFINITY, high = -INFINITY;

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// Parameters, static fields and controls: of each kind the names and their ranges.
struct Beside {
  const char* kind;
  std::size_t looked_at;  // samples
  std::vector<std::pair<std::string, Range>> ranges;
};

// A few samples tell the ranges; the audit reads everything.
std::vector<Range> sampled_ranges(const data::Source& source, std::size_t most_samples) {
  const auto& d = source.description();
  const std::size_t channels = d.state.count(Role::state),
                    step = std::max<std::size_t>(1, d.samples / most_samples);
  std::vector<Range> ranges(channels);
  std::vector<float> frame(d.frame_size());
  for (std::size_t sample = 0; sample < d.samples; sample += step) {
    const std::size_t frames = d.frames[sample];
    for (std::size_t t = 0; t < frames; t += std::max<std::size_t>(1, frames / 8)) {
      interrupt::throw_if_requested("an inspection writes nothing, so run it again");
      source.read(sample, t, 1, frame);
      for (std::size_t i = 0; i < frame.size(); ++i) {
        ranges[i % channels].add(frame[i]);
      }
    }
  }
  return ranges;
}

template <class Values>
Beside ranges_of(const data::Source& source, const char* kind, const std::vector<std::string>& names,
                 std::size_t most_samples, Values values) {
  const std::size_t samples = source.description().samples;
  const std::size_t step = std::max<std::size_t>(1, (samples + most_samples - 1) / most_samples);
  Beside out{kind, (samples + step - 1) / step, {}};
  for (const auto& name : names) out.ranges.emplace_back(name, Range{});
  for (std::size_t sample = 0; sample < samples && !names.empty(); sample += step) {
    interrupt::throw_if_requested("an inspection writes nothing, so run it again");
    for (std::size_t i = 0; i < names.size(); ++i) {
      for (const double value : values(sample, i)) out.ranges[i].second.add(value);
    }
  }
  return out;
}

std::vector<Beside> all_beside(const data::Source& source) {
  const auto& state = source.description().state;
  const auto statics = state.names(Role::static_field), controls = state.names(Role::control),
             fields = state.names(Role::control_field);
  return {
      ranges_of(source, "parameter", state.names(Role::parameter), 1000,
                [&source, row = std::vector<double>{}](std::size_t sample, std::size_t i) mutable {
                  if (i == 0) row = data::parameters_of(source, sample);  // all of a sample at once
                  return std::vector{row[i]};
                }),
      ranges_of(source, "static", statics, 64,
                [&](std::size_t sample, std::size_t i) { return source.static_field(sample, statics[i]); }),
      ranges_of(source, "control", controls, 64,
                [&](std::size_t sample, std::size_t i) { return source.control(sample, controls[i]); }),
      ranges_of(source, "control_field", fields, 64,
                [&](std::size_t sample, std::size_t i) { return source.control(sample, fields[i]); })};
}

std::string spacing_words(const std::vector<double>& times) {
  if (times.size() < 2) return "one frame only";
  double low = INFINITY, high = 0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    low = std::min(low, times[i] - times[i - 1]);
    high = std::max(high, times[i] - times[i - 1]);
  }
  const bool even = high - low <= 1e-3 * high;
  return even ? fmt::format("spacing {:.6g}",
                            (times.back() - times.front()) / static_cast<double>(times.size() - 1))
              : fmt::format("uneven spacing {:.6g} to {:.6g}", low, high);
}

struct Inspect {
  InputFile input;
  bool json = false;

  void run() const {
    const auto source = input.open();
    json ? print_json(*source) : print_text(*source);
  }

  static void print_text(const data::Source& source) {
    const auto& d = source.description();
    const auto [fewest, most] = std::minmax_element(d.frames.begin(), d.frames.end());
    const auto times = source.times(0);
    fmt::print("file       {}\nlayout     {}\naxes       {}\n", printable(d.file), d.layout,
               printable(d.axes));
    fmt::print("samples    {}\n", d.samples);
    if (*fewest == *most) {
      fmt::print("frames     {} frames = {} steps, t = {:.6g} to {:.6g}, {}\n", *most, *most - 1,
                 times.front(), times.back(), spacing_words(times));
    } else {
      fmt::print("frames     {} to {} (ragged); sample 0: t = {:.6g} to {:.6g}, {}\n", *fewest, *most,
                 times.front(), times.back(), spacing_words(times));
    }
    const auto channels = d.channels();
    if (d.state.is_vector()) {
      fmt::print("state      vector of {}\n", channels.size());
    } else {
      std::string extents;
      for (auto axis = d.state.axes.rbegin(); axis != d.state.axes.rend(); ++axis)
        extents += extent(axis->name, axis->coordinates);
      fmt::print("grid       {}{}\n", d.state.grid_text(), extents);
      fmt::print("boundary   {}\n", printable(d.state.boundary()));
    }
    const auto ranges = sampled_ranges(source, 8);
    for (std::size_t c = 0; c < channels.size(); ++c) {
      fmt::print("channel    {:<12} {:.6g} to {:.6g} (in a few samples)\n", printable(channels[c]),
                 ranges[c].low, ranges[c].high);
    }
    for (const auto& [kind, looked_at, names] : all_beside(source)) {
      for (const auto& [name, range] : names) {
        fmt::print("{:<10} {:<12} {:.6g} to {:.6g} (in {} of {} samples)\n", kind, printable(name), range.low,
                   range.high, looked_at, d.samples);
      }
    }
    std::size_t frames = 0;
    for (const std::size_t count : d.frames) frames += count;
    fmt::print("size       {} as float32\n", text::bytes(frames * d.frame_size() * sizeof(float)));
    for (const auto& [name, value] : d.attributes) {
      constexpr std::array shown_above{"axes",   "boundary", "channels",      "parameters",
                                       "static", "controls", "control_fields"};
      if (std::ranges::find(shown_above, name) == shown_above.end())
        fmt::print("attribute  {} = {}\n", printable(name), printable(one_line(value.substr(0, 4000))));
    }
    const auto names = d.state.names(Role::parameter);
    const std::set<std::string> parameters(names.begin(), names.end());
    for (const auto& [name, value] : source.scalars(0)) {
      if (parameters.contains(name)) continue;
      fmt::print("scalar     {} = {:.6g} (sample 0)\n", printable(name), value);
    }
    for (const auto& note : d.notes) fmt::print("note       {}\n", printable(note));
  }

  static void print_json(const data::Source& source) {
    const auto& d = source.description();
    nlohmann::json out{{"file", d.file},
                       {"layout", d.layout},
                       {"axes", d.axes},
                       {"samples", d.samples},
                       {"frames", d.frames},
                       {"ny", d.state.size_along("y")},
                       {"nx", d.state.size_along("x")},
                       {"channels", d.channels()},
                       {"boundary", d.state.boundary()},
                       {"attributes", d.attributes},
                       {"notes", d.notes},
                       {"times", source.times(0)},
                       {"scalars", source.scalars(0)}};
    if (d.state.axes.size() > 2) out["nz"] = d.state.size_along("z");
    const auto ranges = sampled_ranges(source, 8);
    for (std::size_t c = 0; c < ranges.size(); ++c)
      out["ranges"][d.channels()[c]] = {ranges[c].low, ranges[c].high};
    for (const auto& [kind, looked_at, names] : all_beside(source)) {
      const std::string word = std::string(kind) == "static" ? kind : std::string(kind) + "s";
      out[word] = nlohmann::json::object();
      for (const auto& [name, range] : names) out[word][name] = {range.low, range.high};
    }
    fmt::print("{}\n", ascii(out));
  }

  static std::string extent(std::string_view name, const std::vector<double>& coordinate) {
    return coordinate.empty()
               ? ""
               : fmt::format(", {} = {:.6g} to {:.6g}", name, coordinate.front(), coordinate.back());
  }

  static std::string one_line(const std::string& text) {
    const std::string line = text.substr(0, text.find('\n'));
    return line.size() == text.size() ? text : line + " ...";
  }
};

}  // namespace

void add_inspect(CLI::App& data) {
  CLI::App& app =
      *data.add_subcommand("inspect", "say what is in a data file: layout, axes, channels, times, ranges");
  app.footer(
      "Example: cvf data inspect mine.h5\n"
      "A plain array needs to be told what its axes mean, in their order:\n"
      "         cvf data inspect mine.h5 --dataset results/u --axes n,t,y,x --dt 0.05\n"
      "Next: cvf data audit with the same words; in a RUN.toml they are data.dataset, data.axes, data.dt.");
  const auto verb = bind<Inspect>(app);
  verb->input.add_to(app);
  app.add_flag("--json", verb->json, "print one JSON object");
}

}  // namespace cvf::cli
