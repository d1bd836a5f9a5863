#include <algorithm>
#include <array>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "data/array.hpp"
#include "data/layouts/layout.hpp"

namespace cvf::data::layouts {
namespace {

constexpr std::size_t longest_shown = 4000;  // characters of one attribute

}  // namespace

std::string axes_for(const hdf5::Dataset& dataset, const OpenOptions& options, const std::string& implied) {
  return parse_axes(options.axes.empty() ? implied : options.axes, dataset.extents(), dataset.name());
}

void describe_axes(Description& description, const View& view) {
  const Extents& extents = view.array->extents();
  const std::string& letters = view.axes;
  description.axes = spell_axes(letters);
  description.samples = extent_of(extents, letters, 'n');
  std::vector<Axis> axes;
  for (const char axis : grid_axes) axes.push_back({{axis}, extent_of(extents, letters, axis)});
  description.state.set_axes(std::move(axes));
  description.frames.assign(description.samples, extent_of(extents, letters, 't'));
}

std::vector<double> fit_coordinates(std::vector<double> values, std::size_t wanted, const std::string& name,
                                    std::vector<std::string>& notes) {
  if (values.size() < wanted) throw DataError("{}: has {} entries for {}", name, values.size(), wanted);
  if (values.size() > wanted) {
    notes.push_back(fmt::format("{} has {} entries for {}: the last {} are left out", name, values.size(),
                                wanted, values.size() - wanted));
    values.resize(wanted);
  }
  return values;
}

std::vector<double> read_coordinates(const hdf5::Group& parent, const std::string& child, std::size_t wanted,
                                     std::vector<std::string>& notes) {
  if (parent.kind(child) == hdf5::Kind::none) return {};
  const auto dataset = parent.dataset(child);
  if (dataset.rank() != 1)
    throw DataError("{}: has {} axes, but coordinates have one", dataset.name(), dataset.rank());
  return fit_coordinates(dataset.read_all(), wanted, dataset.name(), notes);
}

void read_axes(Description& description, const CoordinatesOf& coordinates_of) {
  for (auto& axis : description.state.axes) axis.coordinates = coordinates_of(axis.name, axis.size);
}

void read_axes(Description& description, const hdf5::Group& parent, const std::string& before,
               const std::string& behind) {
  read_axes(description, [&](const std::string& axis, std::size_t size) {
    return read_coordinates(parent, before + axis + behind, size, description.notes);
  });
}

bool is_coordinate(const std::string& name) {
  constexpr std::array known{"t", "time", "times",        "t-coordinate", "x",
                             "y", "z",    "x-coordinate", "y-coordinate", "z-coordinate"};
  return std::find(known.begin(), known.end(), name) != known.end();
}

std::vector<double> uniform_times(std::size_t frames, const OpenOptions& options,
                                  std::vector<std::string>& notes) {
  const double dt = options.dt > 0 ? options.dt : 1;
  if (options.dt <= 0) {
    notes.emplace_back(
        "the file has no times, so its frames are taken to be 1 apart; if they are not, say so: --dt, or dt "
        "in [data] of a run file");
  }
  std::vector<double> times(frames);
  for (std::size_t i = 0; i < frames; ++i) times[i] = dt * static_cast<double>(i);
  return times;
}

std::vector<std::vector<double>> read_times(const hdf5::Group& parent, const std::string& child,
                                            const OpenOptions& options, Description& description) {
  const std::size_t frames = description.frames.empty() ? 0 : description.frames[0];
  if (parent.kind(child) == hdf5::Kind::none) return {uniform_times(frames, options, description.notes)};
  const auto dataset = parent.dataset(child);
  if (dataset.rank() == 1) return {read_coordinates(parent, child, frames, description.notes)};
  if (dataset.rank() != 2 || dataset.extents()[0] != description.samples) {
    throw DataError("{}: times of {} do not fit {} samples", dataset.name(), spell(dataset.extents()),
                    description.samples);
  }
  const auto all = dataset.read_all();
  const std::size_t row = dataset.extents()[1];
  std::vector<std::vector<double>> times;
  std::vector<std::string> notes;
  for (std::size_t sample = 0; sample < description.samples; ++sample) {
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(sample * row);
    times.push_back(
        fit_coordinates({from, from + static_cast<std::ptrdiff_t>(row)}, frames, dataset.name(), notes));
  }
  if (!notes.empty()) description.notes.push_back(notes.front());  // the same for every sample
  return times;
}

std::vector<std::string> trimmed_names(const std::string& text) {
  std::vector<std::string> names = text::split(text, ',');
  for (auto& word : names) {
    word.erase(0, word.find_first_not_of(' '));
    word.erase(word.find_last_not_of(' ') + 1);
  }
  return names;
}

std::vector<std::string> channel_names(const std::string& text, std::size_t count, const std::string& name) {
  std::vector<std::string> names;
  if (text.empty()) {
    if (count > 4096) throw DataError("{}: has {} channels; are the axes right?", name, count);
    for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("c{}", i));
    return names;
  }
  names = trimmed_names(text);
  if (names.size() != count) {
    throw DataError("{}: 'channels' names {} channels ({}), but there are {}", name, names.size(), text,
                    count);
  }
  return names;
}

void show_attributes(const hdf5::Group& root, Description& description) {
  for (const auto& attribute : root.attribute_names()) {
    if (attribute.ends_with("/config")) continue;  // one text for each sample; layout A shows the first
    const auto shown = root.shown(attribute);
    const bool whole = attribute == "config";  // parameters are read from it
    if (shown) description.attributes[attribute] = whole ? *shown : shown->substr(0, longest_shown);
  }
}

const std::vector<Layout>& table() {
  static const std::vector<Layout> rows{groups,   fields,   tensor, incompressible,
                                        the_well, pdearena, pairs,  plain};
  return rows;
}

}  // namespace cvf::data::layouts
