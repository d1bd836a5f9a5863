// Layout E, The Well: fields grouped by tensor order (t0_fields, t1_fields, t2_fields); attributes of each
// field say which axes it has. Fields that lack an axis are constant along it; those that lack time are
// static fields too, for whoever leaves them out of the channels. Its scalars are parameters of the equation.
#include <algorithm>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "data/array.hpp"
#include "data/layouts/layout.hpp"

namespace cvf::data::layouts {
namespace {

struct Space {
  std::vector<std::string> names;  // as the file calls them
  std::string letters;             // x, y or z for each
};

bool recognises(const hdf5::Group& root) {
  return root.has_attribute("n_trajectories") && root.has_group("dimensions") &&
         (root.has_group("t0_fields") || root.has_group("t1_fields"));
}

bool says_yes(const hdf5::Object& object, const std::string& attribute) {
  return object.number(attribute).value_or(0) != 0;
}

// Names x, y and z are taken at their word; of other coordinates (r, theta) the first becomes x.
Space read_space(const hdf5::Group& root, std::vector<std::string>& notes) {
  Space space{root.group("dimensions").texts("spatial_dims"), ""};
  const std::size_t count = space.names.size();
  if (count < 1 || count > 3) {
    throw DataError("{}: '/dimensions' has {} dimensions in space ({}); 1 to 3 are read", root.file(), count,
                    text::join(space.names));
  }
  space.letters = std::string("xyz").substr(0, count);
  std::string sorted;
  for (const auto& name : space.names) sorted += name;
  const std::string own = sorted;
  std::sort(sorted.begin(), sorted.end());
  if (sorted == space.letters) {
    space.letters = own;
  } else if (count > 1) {
    notes.push_back(fmt::format("dimensions {} are taken as {}", fmt::join(space.names, ", "),
                                spell_axes(space.letters)));
  }
  return space;
}

// An axis along which the field is constant is either absent or of one entry.
std::string field_axes(const hdf5::Dataset& field, const Space& space, std::size_t tensor_order) {
  std::string letters = says_yes(field, "sample_varying") ? "n" : "";
  if (says_yes(field, "time_varying")) letters += 't';
  const auto varying = field.numbers("dim_varying");
  std::string varying_letters;
  for (std::size_t i = 0; i < space.letters.size(); ++i) {
    if (i >= varying.size() || varying[i] != 0) varying_letters += space.letters[i];
  }
  const bool all_present = field.rank() == letters.size() + space.letters.size() + tensor_order;
  letters += (all_present ? space.letters : varying_letters) + std::string(tensor_order, 'c');
  if (letters.size() != field.rank()) {
    throw DataError("{}: has {} axes ({}), but its attributes say {}", field.name(), field.rank(),
                    spell(field.extents()), spell_axes(letters));
  }
  return letters;
}

// velocity becomes velocity_x, velocity_y; a tensor stress stress_xx, stress_xy, ...
std::vector<std::string> component_names(const std::string& field, const Space& space, std::size_t order,
                                         std::size_t count) {
  std::vector<std::string> endings{""};
  for (std::size_t i = 0; i < order; ++i) {
    std::vector<std::string> longer;
    for (const auto& ending : endings) {
      for (const auto& name : space.names) longer.push_back(ending + name);
    }
    endings = std::move(longer);
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    if (order == 0)
      names.push_back(field);
    else
      names.push_back(field + "_" + (endings.size() == count ? endings[i] : std::to_string(i)));
  }
  return names;
}

void add_fields(const hdf5::Group& root, std::size_t order, const Space& space, Content& content) {
  const std::string group_name = fmt::format("t{}_fields", order);
  if (!root.has_group(group_name)) return;
  const auto group = root.group(group_name);
  auto fields = group.texts("field_names");
  if (fields.empty()) fields = group.children();
  for (const auto& name : fields) {
    auto field = group.dataset(name);
    const auto letters = field_axes(field, space, order);
    const std::size_t count = extent_of(field.extents(), letters, 'c');
    if (count > 81) throw DataError("{}: has {} components", field.name(), count);
    content.views.push_back(open_states(std::move(field), letters));
    auto channels = content.description.channels();
    const View as_static = content.views.back();
    content.views.back().first_channel = channels.size();
    const auto components = component_names(name, space, order, count);
    auto statics = content.description.state.names(Role::static_field);
    for (std::size_t i = 0; i < components.size() && letters.find('t') == std::string::npos; ++i) {
      statics.push_back(components[i]);
      content.statics[components[i]] = {as_static, i, count};
    }
    channels.insert(channels.end(), components.begin(), components.end());
    content.description.state.set_names(Role::state, channels).set_names(Role::static_field, statics);
  }
}

void read_scalars(const hdf5::Group& root, Content& content) {
  if (!root.has_group("scalars")) return;
  const auto group = root.group("scalars");
  std::vector<std::string> parameters;
  for (const auto& name : group.children()) {
    const auto dataset = group.dataset(name);
    const bool fits = dataset.size() == 1 || (says_yes(dataset, "sample_varying") && dataset.rank() == 1 &&
                                              dataset.size() == content.description.samples);
    if (fits && dataset.is_numeric()) {
      content.scalars[name] = dataset.read_all();
      parameters.push_back(name);
    } else {
      content.description.notes.push_back(
          fmt::format("scalar {} varies in time or is no number: left out", name));
    }
  }
  content.description.state.set_names(Role::parameter, parameters);
}

std::vector<double> read_dimension(const hdf5::Group& root, const std::string& name,
                                   std::vector<std::string>& notes) {
  if (!root.has_dataset("dimensions/" + name)) return {};
  const auto dataset = root.dataset("dimensions/" + name);
  if (dataset.rank() == 1) return dataset.read_all();
  notes.push_back(fmt::format("coordinate {} varies from sample to sample or in time: left out", name));
  return {};
}

void read_grid(const hdf5::Group& root, const Space& space, Description& about) {
  std::vector<Axis> axes;
  for (const char letter : grid_axes) {
    const auto place = space.letters.find(letter);
    if (place == std::string::npos) continue;
    const auto dataset = root.dataset("dimensions/" + space.names[place]);
    axes.push_back({{letter},
                    dataset.rank() == 0 ? 1 : dataset.extents().back(),
                    read_dimension(root, space.names[place], about.notes)});
  }
  about.state.set_axes(std::move(axes));
}

std::unique_ptr<Source> open(const hdf5::Group& root, const OpenOptions& options) {
  if (!options.axes.empty()) throw DataError("{}: The Well says its own axes; leave out --axes", root.file());
  Content content;
  Description& about = content.description;
  about.file = root.file();
  about.layout = "The Well";
  const Space space = read_space(root, about.notes);
  const double samples = root.number("n_trajectories").value_or(0);
  if (!(samples >= 1 && samples <= 1e7)) throw DataError("{}: n_trajectories is {}", root.file(), samples);
  about.samples = static_cast<std::size_t>(samples);
  const auto time = root.dataset("dimensions/time");
  if (time.rank() == 0) throw DataError("{}: has no axis", time.name());
  about.frames.assign(about.samples, time.extents().back());
  about.axes = spell_axes("nt" + space.letters);
  read_grid(root, space, about);
  for (std::size_t order = 0; order < 3; ++order) add_fields(root, order, space, content);
  content.times = layouts::read_times(root, "dimensions/time", options, about);
  set_the_well_boundary(root, space.names, space.letters, about);
  read_scalars(root, content);
  show_attributes(root, about);
  return std::make_unique<ArraySource>(std::move(content));
}

}  // namespace

const Layout the_well{"The Well", recognises, open};

}  // namespace cvf::data::layouts
