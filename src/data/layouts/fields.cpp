// Layout B, PDEBench CFD: one root dataset for each variable, (n,t,x), (n,t,x,y) or (n,t,x,y,z), x first.
#include "core/errors.hpp"
#include "data/array.hpp"
#include "data/layouts/layout.hpp"

namespace cvf::data::layouts {
namespace {

bool recognises(const hdf5::Group& root) {
  return root.has_dataset("density") && root.has_dataset("pressure") && root.has_dataset("Vx");
}

std::string implied_axes(const hdf5::Dataset& dataset) {
  if (dataset.rank() == 3) return "n,t,x";
  if (dataset.rank() == 4) return "n,t,x,y";
  if (dataset.rank() == 5) return "n,t,x,y,z";
  throw DataError("{}: has {} axes ({}); known are n,t,x and n,t,x,y and n,t,x,y,z", dataset.name(),
                  dataset.rank(), spell(dataset.extents()));
}

std::unique_ptr<Source> open(const hdf5::Group& root, const OpenOptions& options) {
  Content content;
  Description& about = content.description;
  about.file = root.file();
  about.layout = "PDEBench fields";
  std::vector<std::string> channels;
  for (const char* name : {"density", "pressure", "Vx", "Vy", "Vz"}) {
    if (root.kind(name) == hdf5::Kind::none) continue;
    auto dataset = root.dataset(name);
    const auto letters = axes_for(dataset, options, implied_axes(dataset));
    content.views.push_back(open_states(std::move(dataset), letters));
    content.views.back().first_channel = channels.size();
    channels.emplace_back(name);
  }
  about.state.set_names(Role::state, channels);
  describe_axes(about, content.views.front());
  read_axes(about, root, "", "-coordinate");
  content.times = read_times(root, "t-coordinate", options, about);
  show_attributes(root, about);
  about.state.set_boundary(fields_boundary(about));
  return std::make_unique<ArraySource>(std::move(content));
}

}  // namespace

const Layout fields{"PDEBench fields", recognises, open};

}  // namespace cvf::data::layouts
