// Layout D, PDEBench incompressible flow: root `velocity` (n,t,x,y,2), perhaps `particles` (n,t,x,y,1), `t`
// (n,t).
#include "core/errors.hpp"
#include "data/array.hpp"
#include "data/layouts/layout.hpp"

namespace cvf::data::layouts {
namespace {

bool recognises(const hdf5::Group& root) {
  return root.has_dataset("velocity");
}

void add(Content& content, hdf5::Dataset dataset, const OpenOptions& options, const std::string& names) {
  if (dataset.rank() != 5) {
    throw DataError("{}: has {} axes ({}); known is n,t,x,y,c", dataset.name(), dataset.rank(),
                    spell(dataset.extents()));
  }
  const auto letters = axes_for(dataset, options, "n,t,x,y,c");
  const auto channels = channel_names(names, extent_of(dataset.extents(), letters, 'c'), dataset.name());
  content.views.push_back(open_states(std::move(dataset), letters));
  auto all = content.description.channels();
  content.views.back().first_channel = all.size();
  all.insert(all.end(), channels.begin(), channels.end());
  content.description.state.set_names(Role::state, all);
}

std::unique_ptr<Source> open(const hdf5::Group& root, const OpenOptions& options) {
  Content content;
  Description& about = content.description;
  about.file = root.file();
  about.layout = "PDEBench incompressible";
  add(content, root.dataset("velocity"), options, "velocity_x,velocity_y");
  if (root.has_dataset("particles")) add(content, root.dataset("particles"), options, "particles");
  if (root.has_dataset("force"))
    about.notes.emplace_back("'/force' is constant in time and is not read as a channel");
  describe_axes(about, content.views.front());
  content.times = read_times(root, "t", options, about);
  show_attributes(root, about);
  about.state.set_boundary(incompressible_boundary(about));
  return std::make_unique<ArraySource>(std::move(content));
}

}  // namespace

const Layout incompressible{"PDEBench incompressible", recognises, open};

}  // namespace cvf::data::layouts
