// Layout C, PDEBench's 1-D files: root `tensor` (n,t,x). Files made with its own generators may have one more
// leading axis of one entry; Darcy flow uses the same name but has no time.
#include "core/errors.hpp"
#include "data/array.hpp"
#include "data/layouts/layout.hpp"

namespace cvf::data::layouts {
namespace {

bool recognises(const hdf5::Group& root) {
  return root.has_dataset("tensor");
}

bool is_darcy(const hdf5::Group& root, const hdf5::Dataset& tensor) {
  return tensor.rank() == 4 && tensor.extents()[1] == 1 && root.has_dataset("nu");
}

std::string find_axes(const hdf5::Dataset& tensor, const OpenOptions& options,
                      std::vector<std::string>& notes) {
  if (!options.axes.empty() || tensor.rank() == 3) return axes_for(tensor, options, "n,t,x");
  if (tensor.rank() == 4 && tensor.extents()[0] == 1) {
    notes.push_back(fmt::format("{} has an extra leading axis of one entry: it is left out", tensor.name()));
    return std::string(1, single_axis) + "ntx";
  }
  throw DataError("{}: has {} axes ({}); known is n,t,x (otherwise give --dataset tensor and --axes)",
                  tensor.name(), tensor.rank(), spell(tensor.extents()));
}

std::unique_ptr<Source> open(const hdf5::Group& root, const OpenOptions& options) {
  auto tensor = root.dataset("tensor");
  if (is_darcy(root, tensor)) {
    throw DataError("{}: is Darcy flow, a map from '/nu' to a steady state: it has no time to learn",
                    tensor.name());
  }
  Content content;
  Description& about = content.description;
  about.file = root.file();
  about.layout = "PDEBench tensor";
  const auto letters = find_axes(tensor, options, about.notes);
  content.views.push_back(open_states(std::move(tensor), letters));
  describe_axes(about, content.views.front());
  const auto& array = *content.views.front().array;
  const std::size_t channels = extent_of(array.extents(), letters, 'c');
  about.state.set_names(
      Role::state, channels == 1 ? std::vector<std::string>{"u"} : channel_names("", channels, array.name()));
  read_axes(about, root, "", "-coordinate");
  content.times = read_times(root, "t-coordinate", options, about);
  show_attributes(root, about);
  about.state.set_boundary(tensor_boundary(about));
  return std::make_unique<ArraySource>(std::move(content));
}

}  // namespace

const Layout tensor{"PDEBench tensor", recognises, open};

}  // namespace cvf::data::layouts
