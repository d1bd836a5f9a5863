// Layout J, NPY and NPZ: arrays without a word about their axes, so the user gives them. Members t or time, x
// and y of an NPZ are coordinates; other members with one number for each sample are its parameters. An NPZ
// may also describe itself, as those that cvf writes do: `states` and the text `axes`, the texts `channels`,
// `parameters` (which of the numbers are some), `boundary` and `attributes` (key=value), static.NAME
// [n,z,y,x] and control.NAME [n,t].
#include "data/numpy.hpp"

#include <algorithm>
#include <span>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "data/array.hpp"
#include "data/bytes.hpp"
#include "data/layouts/layout.hpp"
#include "data/npz_archive.hpp"

namespace cvf::data::layouts {
namespace {

using npz::Archive, npz::Member;

constexpr std::size_t most_candidates = 20;  // in one message

// One member with two or more axes is the data; of several, the user chooses.
const Member& choose(const Archive& archive, const std::string& file, const OpenOptions& options) {
  if (!options.dataset.empty()) {
    const auto* found = archive.find(options.dataset);
    if (found == nullptr)
      throw DataError("{}: has no array '{}'{}", file, options.dataset,
                      text::suggestion(options.dataset, archive.names()));
    return *found;
  }
  std::vector<std::string> lines;
  const Member* only = nullptr;
  for (const auto& name : archive.names()) {
    const auto* member = archive.find(name);
    if (member->header.extents.size() < 2 || member->header.is_text() || name == "t" || name == "time")
      continue;
    if (name == "states") return *member;
    lines.push_back(fmt::format("{} ({})", name, spell(member->header.extents)));
    only = member;
  }
  if (lines.size() == 1) return *only;
  if (lines.empty()) throw DataError("{}: has no array with two or more axes", file);
  const std::size_t shown = std::min(lines.size(), most_candidates);
  throw DataError("{}: has several arrays; give --dataset and --axes. Candidates: {}{}", file,
                  text::join(std::span(lines).first(shown)),
                  shown == lines.size() ? "" : fmt::format(" and {} more", lines.size() - shown));
}

View make_view(const Member& member, const OpenOptions& options) {
  if (options.axes.empty()) {
    throw DataError("{}: {} values, but nothing says what the axes mean; give --axes, e.g. n,t,y,x,c",
                    member.full_name, spell(member.header.extents));
  }
  auto letters = parse_axes(options.axes, member.header.extents, member.full_name);
  if (member.header.fortran_order) std::reverse(letters.begin(), letters.end());
  return {npy::open_array(member.bytes, member.header, member.full_name), letters, 0, std::nullopt};
}

std::vector<std::vector<double>> rows_of(const Member& member, const Description& about,
                                         std::vector<std::string>& notes) {
  const Extents& extents = member.header.extents;
  const std::size_t frames = about.frames.at(0);
  const auto all = npy::read_all(*member.bytes, member.header, member.full_name);
  if (extents.size() == 1) return {fit_coordinates(all, frames, member.full_name, notes)};
  if (extents.size() != 2 || extents[0] != about.samples || extents[1] != frames) {
    throw DataError("{}: times of {} do not fit {} samples of {} frames", member.full_name, spell(extents),
                    about.samples, frames);
  }
  const bool fortran = member.header.fortran_order;
  std::vector<std::vector<double>> rows(about.samples, std::vector<double>(frames));
  for (std::size_t n = 0; n < about.samples; ++n) {
    for (std::size_t t = 0; t < frames; ++t)
      rows[n][t] = all[fortran ? t * about.samples + n : n * frames + t];
  }
  return rows;
}

std::vector<double> coordinates(const Archive& archive, const std::string& name, std::size_t wanted) {
  const auto* member = archive.find(name);
  if (member == nullptr || member->header.extents != Extents{wanted}) return {};
  return npy::read_all(*member->bytes, member->header, member->full_name);
}

Content describe(const std::string& file, const Member& member, const OpenOptions& options,
                 const char* layout) {
  Content content;
  Description& about = content.description;
  about.file = file;
  about.layout = layout;
  content.views.push_back(make_view(member, options));
  const Extents& extents = member.header.extents;
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) {
    throw DataError("{}: is empty ({})", member.full_name, spell(extents));
  }
  describe_axes(about, content.views.front());
  about.axes = spell_axes(parse_axes(options.axes, member.header.extents, member.full_name));
  const auto& view = content.views.front();
  const std::size_t channels = extent_of(view.array->extents(), view.axes, 'c');
  about.state.set_names(Role::state,
                        channel_names(channels == 1 ? member.name : "", channels, member.full_name));
  return content;
}

void read_parameters(const Archive& archive, const Member& states, Content& content) {
  Description& about = content.description;
  std::vector<std::string> parameters;
  for (const auto& name : archive.names()) {
    const auto* member = archive.find(name);
    const bool one_each = member->header.extents == Extents{about.samples} && !member->header.is_text();
    if (!one_each || is_coordinate(name) || name == states.name) continue;
    content.scalars[name] = npy::read_all(*member->bytes, member->header, member->full_name);
    parameters.push_back(name);
  }
  if (const auto* stated = archive.find("parameters"); stated != nullptr && stated->header.is_text()) {
    const std::string names = archive.text("parameters");
    parameters = names.empty() ? std::vector<std::string>{} : trimmed_names(names);
  }
  about.state.set_names(Role::parameter, parameters);
}

constexpr std::string_view static_prefix = "static.", control_prefix = "control.",
                           field_prefix = "control_field.";

// A field: `letters` (the sample, perhaps the time), then the axes of the grid.
View field_of(const Member& member, std::string letters, const Content& content) {
  for (const auto& axis : content.description.state.axes) letters += axis.name;
  if (letters.size() != member.header.extents.size() || member.header.fortran_order) {
    throw DataError("{}: {} values do not fit {}", member.full_name, spell(member.header.extents),
                    spell_axes(letters));
  }
  const View view{npy::open_array(member.bytes, member.header, member.full_name), letters, 0, std::nullopt};
  require_fit(view, content.description, content.description.frames[0]);
  return view;
}

void read_control(const Member& member, const std::string& name, Content& content) {
  for (const auto& row : rows_of(member, content.description, content.description.notes))
    content.controls[name].emplace_back(row.begin(), row.end());
  content.controls[name].resize(content.description.samples, content.controls[name].front());
}

// What an NPZ says of itself beyond numbers for each sample.
void read_self_description(const Archive& archive, Content& content) {
  StateSpec& state = content.description.state;
  if (const auto channels = archive.text("channels"); !channels.empty()) {
    state.set_names(Role::state, channel_names(channels, state.count(Role::state), content.description.file));
  }
  if (const auto boundary = archive.text("boundary"); !boundary.empty()) state.set_boundary(boundary);
  for (const auto& line : archive.texts("attributes")) {
    const auto equals = line.find('=');
    if (equals != std::string::npos)
      content.description.attributes[line.substr(0, equals)] = line.substr(equals + 1);
  }
  std::vector<std::string> statics, controls, fields;
  for (const auto& member : archive.names()) {
    if (member.starts_with(static_prefix)) {
      statics.push_back(member.substr(static_prefix.size()));
      content.statics[statics.back()] = {field_of(*archive.find(member), "n", content)};
    } else if (member.starts_with(field_prefix)) {
      fields.push_back(member.substr(field_prefix.size()));
      content.control_fields[fields.back()] = field_of(*archive.find(member), "nt", content);
    } else if (member.starts_with(control_prefix)) {
      controls.push_back(member.substr(control_prefix.size()));
      read_control(*archive.find(member), controls.back(), content);
    }
  }
  state.set_names(Role::static_field, statics)
      .set_names(Role::control, controls)
      .set_names(Role::control_field, fields);
}

std::unique_ptr<Source> open_npz(const std::string& file, const OpenOptions& given) {
  const Archive archive(file);
  const Member& member = choose(archive, file, given);
  OpenOptions options = given;
  const std::string axes = archive.text("axes");
  if (options.axes.empty()) options.axes = axes;
  Content content = describe(file, member, options, "NPZ");
  Description& about = content.description;
  read_axes(about,
            [&](const std::string& axis, std::size_t size) { return coordinates(archive, axis, size); });
  const auto* times = archive.find("t");
  if (times == nullptr) times = archive.find("time");
  if (times != nullptr)
    content.times = rows_of(*times, about, about.notes);
  else
    content.times = {uniform_times(about.frames[0], options, about.notes)};
  if (about.samples > 1 || !axes.empty()) read_parameters(archive, member, content);
  read_self_description(archive, content);
  return std::make_unique<ArraySource>(std::move(content));
}

std::unique_ptr<Source> open_npy(const std::string& file, const OpenOptions& options) {
  const auto bytes = file_bytes(file);
  const Member member{"u", file, bytes, npy::parse_header(*bytes, file)};
  Content content = describe(file, member, options, "NPY");
  Description& about = content.description;
  content.times = {uniform_times(about.frames[0], options, about.notes)};
  return std::make_unique<ArraySource>(std::move(content));
}

}  // namespace

std::unique_ptr<Source> open_numpy(const std::string& file, const OpenOptions& options) {
  std::uint8_t first = 0;
  file_bytes(file)->read(0, 1, &first);
  return first == 'P' ? open_npz(file, options) : open_npy(file, options);
}

}  // namespace cvf::data::layouts
