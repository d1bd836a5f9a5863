#include "data/array_source.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "data/array.hpp"

namespace cvf::data {
namespace {

constexpr std::size_t largest_frame = std::size_t{1} << 32;  // values

void require_extent(const View& view, char axis, std::size_t wanted, bool repeatable) {
  if (view.axes.find(axis) == std::string::npos && repeatable) return;
  const std::size_t extent = extent_of(view.array->extents(), view.axes, axis);
  if (extent == wanted || (repeatable && extent == 1 && axis != 't')) return;
  throw DataError("{}: has {} entries along {} ({} as {}), but {} are expected", view.array->name(), extent,
                  axis, spell(view.array->extents()), spell_axes(view.axes), wanted);
}

void require_description(const Description& about) {
  if (about.samples == 0) throw DataError("{}: has no samples", about.file);
  require_names_and_coordinates(about);
  const std::size_t channels = about.state.count(Role::state);
  std::size_t values = channels;
  bool fits = true;
  for (const auto& axis : about.state.axes)
    fits = fits && !__builtin_mul_overflow(values, axis.size, &values);
  if (!fits || values == 0 || values > largest_frame) {
    throw DataError("{}: frames of {} cells with {} channels are empty or too large", about.file,
                    about.state.grid_text(), channels);
  }
  for (std::size_t sample = 0; sample < about.samples; ++sample) {
    if (about.frames.at(sample) == 0) throw DataError("{}: sample {} has no frames", about.file, sample);
  }
}

const auto& pick(const auto& values, std::size_t sample) {
  return values.size() == 1 ? values[0] : values.at(sample);
}

}  // namespace

FrameShape shape_of(const Description& description) {
  return {description.state, description.state.count(Role::state)};
}

void require_fit(const View& view, const Description& description, std::size_t frames) {
  const bool several = view.axes.find('n') != std::string::npos;
  if (several) require_extent(view, 'n', description.samples, false);
  if (!view.only_frame) require_extent(view, 't', frames, true);
  for (const char axis : grid_axes)
    require_extent(view, axis, description.state.size_along({&axis, 1}), true);
  const std::size_t channels = extent_of(view.array->extents(), view.axes, 'c');
  const std::size_t named = description.state.count(Role::state);
  if (channels == 0 || view.first_channel + channels > named) {
    throw DataError("{}: has {} channels, but only {} have names", view.array->name(), channels, named);
  }
}

void require_names_and_coordinates(const Description& about) {
  auto names = about.channels();
  if (names.empty()) throw DataError("{}: has no channels", about.file);
  std::sort(names.begin(), names.end());
  if (names.front().empty()) throw DataError("{}: has a channel without a name", about.file);
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) throw DataError("{}: two channels are named '{}'", about.file, *twice);
  for (const auto& axis : about.state.axes) {
    for (std::size_t i = 0; i < axis.coordinates.size(); ++i) {
      if (std::isfinite(axis.coordinates[i])) continue;
      throw DataError("{}: coordinate {} of axis {} is {}; write finite numbers or leave the coordinates out",
                      about.file, i, axis.name, axis.coordinates[i]);
    }
  }
}

void require_request(const Description& about, std::size_t sample, std::size_t first, std::size_t count,
                     std::size_t out) {
  if (sample >= about.samples) {
    throw DataError("{}: sample {} was asked for, but there are {}", about.file, sample, about.samples);
  }
  if (first > about.frames[sample] || count > about.frames[sample] - first) {
    throw DataError("{}: sample {}: frames {} to {} were asked for, but it has {}", about.file, sample, first,
                    first + count, about.frames[sample]);
  }
  if (out != count * about.frame_size()) {
    throw DataError("{}: {} frames have {} values, but there is room for {}", about.file, count,
                    count * about.frame_size(), out);
  }
}

void require_numbers(std::span<const float> values, const std::string& name) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) throw DataError("{}: value {} is {}", name, i, values[i]);
  }
}

void require_increasing(const std::vector<double>& times, const std::string& name) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(times[i])) throw DataError("{}: time {} is {}", name, i, times[i]);
    if (i > 0 && times[i] <= times[i - 1]) {
      throw DataError("{}: times must increase, but entry {} is {} after {}", name, i, times[i],
                      times[i - 1]);
    }
  }
}

ArraySource::ArraySource(Content content) : content_(std::move(content)) {
  const Description& about = content_.description;
  require_description(about);
  for (const View& view : content_.views) {
    require_fit(view, about, about.frames[0]);
    const std::string remark = view.array->remark();
    if (!remark.empty()) content_.description.notes.push_back(remark);
  }
  for (const auto& times : content_.times) {
    require_increasing(times, about.file);
    if (times.size() != about.frames[0]) {
      throw DataError("{}: has {} times for {} frames", about.file, times.size(), about.frames[0]);
    }
  }
}

std::vector<double> ArraySource::times(std::size_t sample) const {
  require_request(description(), sample, 0, 0, 0);
  return pick(content_.times, sample);
}

void ArraySource::read(std::size_t sample, std::size_t first, std::size_t count, std::span<float> out) const {
  require_request(description(), sample, first, count, out.size());
  // Several arrays meet in every frame: a few frames at a time, so that they are still in the cache for the
  // next one.
  const FrameShape shape = shape_of(description());
  const std::size_t most =
      content_.views.size() == 1 ? count : std::max<std::size_t>(1, most_buffered / shape.size());
  for (std::size_t done = 0; done < count; done += most) {
    const std::size_t piece = std::min(most, count - done);
    for (const View& view : content_.views) {
      data::read(view, sample, first + done, piece, shape, out.data() + done * shape.size());
    }
  }
}

std::map<std::string, double> ArraySource::scalars(std::size_t sample) const {
  require_request(description(), sample, 0, 0, 0);
  std::map<std::string, double> found;
  for (const auto& [name, values] : content_.scalars) found[name] = pick(values, sample);
  return found;
}

std::vector<float> ArraySource::static_field(std::size_t sample, const std::string& name) const {
  require_request(description(), sample, 0, 0, 0);
  const auto found = content_.statics.find(name);
  if (found == content_.statics.end()) return Source::static_field(sample, name);
  const auto& [view, index, count] = found->second;
  const FrameShape shape(description().state, count);
  std::vector<float> all(shape.size()), out;
  data::read(view, sample, 0, 1, shape, all.data());
  for (std::size_t i = index; i < all.size(); i += count) out.push_back(all[i]);
  require_numbers(out, view.array->name());
  return out;
}

std::vector<float> ArraySource::control(std::size_t sample, const std::string& name) const {
  require_request(description(), sample, 0, 0, 0);
  const auto field = content_.control_fields.find(name);
  if (field != content_.control_fields.end()) {
    const FrameShape shape(description().state, 1);
    const std::size_t frames = description().frames[sample];
    std::vector<float> out(frames * shape.size());
    data::read(field->second, sample, 0, frames, shape, out.data());
    require_numbers(out, field->second.array->name());
    return out;
  }
  const auto found = content_.controls.find(name);
  if (found == content_.controls.end()) return Source::control(sample, name);
  require_numbers(found->second.at(sample),
                  fmt::format("{}: control '{}' of sample {}", description().file, name, sample));
  return found->second[sample];
}

}  // namespace cvf::data
