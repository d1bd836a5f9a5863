// Layout B, PDEBench CFD: one root dataset for each variable, (n,t,x) or (n,t,x,y), x before y.
#include "core/errors.hpp"
#include "data/axes.hpp"
#include "data/layouts/layout.hpp"

namespace cvf::data::layouts {
namespace {

bool recognises(const hdf5::Group& root) {
  return root.has_dataset("density") && root.has_dataset("pressure") && root.has_dataset("Vx");
}

std::string implied_axes(const hdf5::Dataset& dataset) {
  if (dataset.rank() == 3) return "n,t,x";
  if (dataset.rank() == 4) return "n,t,x,y";
  throw DataError("{}: has {} axes ({}); known are n,t,x and n,t,x,y", dataset.name(), dataset.rank(),
                  spell(dataset.extents()));
}

std::unique_ptr<Source> open(const hdf5::Group& root, const OpenOptions& options) {
  if (root.has_dataset("Vz")) {
    throw DataError("{}: '/Vz': the fields are in 3-D, which is not read; cut a plane out of them",
                    root.file());
  }
  Content content;
  Description& about = content.description;
  about.file = root.file();
  about.layout = "PDEBench fields";
  for (const char* name : {"density", "pressure", "Vx", "Vy"}) {
    if (root.kind(name) == hdf5::Kind::none) continue;
    auto dataset = root.dataset(name);
    const auto letters = axes_for(dataset, options, implied_axes(dataset));
    content.views.push_back(open_states(std::move(dataset), letters));
    content.views.back().first_channel = about.channels.size();
    about.channels.emplace_back(name);
  }
  describe_axes(about, content.views.front());
  about.x = read_coordinates(root, "x-coordinate", about.nx, about.notes);
  if (about.ny > 1) about.y = read_coordinates(root, "y-coordinate", about.ny, about.notes);
  content.times = read_times(root, "t-coordinate", options, about);
  show_attributes(root, about);
  about.boundary = fields_boundary(about);
  return std::make_unique<ArraySource>(std::move(content));
}

}  // namespace

const Layout fields{"PDEBench fields", recognises, open};

}  // namespace cvf::data::layouts
