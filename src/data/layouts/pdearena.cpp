// Layout F, PDEArena Navier-Stokes: one group train, valid or test with u, vx, vy (n,t,x,y) in float64, `t`
// (n,t), x, y (n,.) and numbers such as buo_y (n).
#include "core/errors.hpp"
#include "data/array.hpp"
#include "data/layouts/layout.hpp"

namespace cvf::data::layouts {
namespace {

std::string split_of(const hdf5::Group& root) {
  for (const char* split : {"train", "valid", "test"}) {
    if (root.has_group(split) && root.has_dataset(std::string(split) + "/u")) return split;
  }
  return "";
}

bool recognises(const hdf5::Group& root) {
  return !split_of(root).empty();
}

// The coordinates are stored once for each sample, all alike.
std::vector<double> first_row(const hdf5::Group& group, const std::string& child, std::size_t wanted) {
  if (!group.has_dataset(child)) return {};
  const auto dataset = group.dataset(child);
  if (dataset.rank() != 2 || dataset.extents()[0] == 0 || dataset.extents()[1] != wanted) {
    throw DataError("{}: coordinates of {} do not fit {} points", dataset.name(), spell(dataset.extents()),
                    wanted);
  }
  std::vector<double> values(wanted);
  dataset.read(Extents{0, 0}, Extents{1, wanted}, values.data());
  return values;
}

void read_scalars(const hdf5::Group& group, Content& content) {
  for (const auto& name : group.children()) {
    if (!group.has_dataset(name)) continue;
    const auto dataset = group.dataset(name);
    if (dataset.rank() != 1 || dataset.extents()[0] != content.description.samples || !dataset.is_numeric())
      continue;
    content.scalars[name] = dataset.read_all();
  }
}

std::unique_ptr<Source> open(const hdf5::Group& root, const OpenOptions& options) {
  const auto split = split_of(root);
  const auto group = root.group(split);
  Content content;
  Description& about = content.description;
  about.file = root.file();
  about.layout = "PDEArena Navier-Stokes";
  std::vector<std::string> channels;
  for (const char* name : {"u", "vx", "vy"}) {
    if (group.kind(name) == hdf5::Kind::none) continue;
    auto dataset = group.dataset(name);
    const auto letters = axes_for(dataset, options, "n,t,x,y");
    content.views.push_back(open_states(std::move(dataset), letters));
    content.views.back().first_channel = channels.size();
    channels.emplace_back(name);
  }
  about.state.set_names(Role::state, channels);
  describe_axes(about, content.views.front());
  read_axes(about, [&](const std::string& axis, std::size_t size) { return first_row(group, axis, size); });
  if (!about.state.coordinates("x").empty())
    about.notes.emplace_back("the grid includes both end points of the domain");
  content.times = read_times(group, "t", options, about);
  read_scalars(group, content);
  about.attributes["split"] = split;
  show_attributes(root, about);
  about.state.set_boundary("wall");  // smoke in a closed box: no flow through the walls
  return std::make_unique<ArraySource>(std::move(content));
}

}  // namespace

const Layout pdearena{"PDEArena Navier-Stokes", recognises, open};

}  // namespace cvf::data::layouts
