// Layout I, operator-learning pairs: root `x` and `y`, (n,h,w) or (n,c,h,w), input and output. Delivered as
// trajectories of two frames.
#include "core/errors.hpp"
#include "data/array.hpp"
#include "data/layouts/layout.hpp"

namespace cvf::data::layouts {
namespace {

// One-dimensional `x` and `y` are coordinates of something else.
bool recognises(const hdf5::Group& root) {
  return root.has_dataset("x") && root.has_dataset("y") && root.dataset("x").rank() >= 3 &&
         root.dataset("y").rank() >= 3;
}

View open_frame(const hdf5::Group& root, const std::string& child, std::size_t frame) {
  auto dataset = root.dataset(child);
  const std::size_t rank = dataset.rank();
  if (rank != 3 && rank != 4) {
    throw DataError("{}: has {} axes ({}); known are n,y,x and n,c,y,x", dataset.name(), rank,
                    spell(dataset.extents()));
  }
  View view = open_states(std::move(dataset), rank == 3 ? "nyx" : "ncyx");
  view.only_frame = frame;
  return view;
}

std::unique_ptr<Source> open(const hdf5::Group& root, const OpenOptions& options) {
  if (!options.axes.empty())
    throw DataError("{}: pairs x, y have axes of their own; leave out --axes", root.file());
  Content content;
  Description& about = content.description;
  about.file = root.file();
  about.layout = "pairs x, y";
  content.views = {open_frame(root, "x", 0), open_frame(root, "y", 1)};
  const Array& input = *content.views[0].array;
  const Array& output = *content.views[1].array;
  if (input.extents() != output.extents()) {
    throw DataError("{}: '/x' ({}) and '/y' ({}) differ in shape: not two states of one system", root.file(),
                    spell(input.extents()), spell(output.extents()));
  }
  describe_axes(about, content.views.front());
  about.frames.assign(about.samples, 2);
  about.notes.emplace_back("input and output are taken as two frames of one trajectory");
  const std::size_t channels = extent_of(input.extents(), content.views[0].axes, 'c');
  about.state.set_names(Role::state, channel_names(root.text("channels").value_or(channels == 1 ? "u" : ""),
                                                   channels, input.name()));
  content.times = {uniform_times(2, options, about.notes)};
  about.state.set_boundary(stated_boundary(root, about.notes));
  show_attributes(root, about);
  return std::make_unique<ArraySource>(std::move(content));
}

}  // namespace

const Layout pairs{"pairs x, y", recognises, open};

}  // namespace cvf::data::layouts
