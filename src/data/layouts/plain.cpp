// Layout L, any other HDF5: the user, or an attribute `axes`, says which dataset and what its axes mean.
// Nothing is guessed; an error lists the candidates.
#include "core/errors.hpp"
#include "core/text.hpp"
#include "data/array.hpp"
#include "data/layouts/layout.hpp"

namespace cvf::data::layouts {
namespace {

constexpr std::size_t deepest = 8, most_visited = 2000, most_listed = 20;

struct Candidates {
  std::vector<std::string> paths, lines, with_axes;
  std::size_t visited = 0;
  bool matlab = false;
};

void look_at(const hdf5::Group& group, const std::string& child, const std::string& path, Candidates& found) {
  try {
    const auto dataset = group.dataset(child);
    if (!dataset.is_floating() || dataset.rank() < 2 || dataset.rank() > 6) return;
    found.paths.push_back(path);
    found.lines.push_back(fmt::format("{} ({})", path, spell(dataset.extents())));
    if (dataset.text("axes")) found.with_axes.push_back(path);
    found.matlab = found.matlab || dataset.has_attribute("MATLAB_class");
  } catch (const DataError&) {
    return;  // one unreadable dataset is no reason to hide the others; asking for it by name gives the reason
  }
}

void collect(const hdf5::Group& group, const std::string& prefix, std::size_t depth, Candidates& found) {
  for (const auto& child : group.children()) {
    if (++found.visited > most_visited) return;
    const auto kind = group.kind(child);
    if (kind == hdf5::Kind::dataset) look_at(group, child, prefix + child, found);
    if (kind == hdf5::Kind::group && depth < deepest)
      collect(group.group(child), prefix + child + "/", depth + 1, found);
  }
}

[[noreturn]] void refuse_to_guess(const hdf5::Group& root, const Candidates& found) {
  if (found.paths.empty()) throw DataError("{}: has no floating-point dataset with 2 to 6 axes", root.file());
  auto lines = found.lines;
  if (lines.size() > most_listed) {
    lines.resize(most_listed);
    lines.push_back(fmt::format("and {} more", found.lines.size() - most_listed));
  }
  throw DataError("{}: follows no known layout; give --dataset and --axes (e.g. n,t,y,x,c). Candidates: {}{}",
                  root.file(), text::join(lines), found.matlab ? " (MATLAB stores axes in reverse)" : "");
}

std::string choose(const hdf5::Group& root, const OpenOptions& options, std::vector<std::string>& notes) {
  if (!options.dataset.empty()) return options.dataset;
  Candidates found;
  collect(root, "", 0, found);
  if (found.with_axes.size() != 1) refuse_to_guess(root, found);
  notes.push_back(fmt::format("dataset '{}' is the only one with an attribute 'axes'", found.with_axes[0]));
  return found.with_axes[0];
}

std::string axes_of(const hdf5::Dataset& dataset, const OpenOptions& options) {
  const auto own = dataset.text("axes");
  if (options.axes.empty() && !own) {
    throw DataError("{}: {} values, but nothing says what the axes mean; give --axes, e.g. n,t,y,x,c",
                    dataset.name(), spell(dataset.extents()));
  }
  return axes_for(dataset, options, own.value_or(""));
}

std::string beside(const std::string& path, const std::string& name) {
  const std::size_t cut = path.rfind('/');
  return cut == std::string::npos ? name : path.substr(0, cut + 1) + name;
}

// A neighbour of the same length is taken as coordinates; anything else called x or t is not ours to judge.
std::vector<double> neighbour(const hdf5::Group& root, const std::string& path, std::size_t wanted) {
  if (!root.has_dataset(path)) return {};
  const auto dataset = root.dataset(path);
  return dataset.rank() == 1 && dataset.size() == wanted && dataset.is_numeric() ? dataset.read_all()
                                                                                 : std::vector<double>{};
}

std::vector<std::vector<double>> find_times(const hdf5::Group& root, const std::string& path,
                                            const OpenOptions& options, Description& about) {
  for (const char* name : {"t", "time", "times", "t-coordinate"}) {
    if (root.has_dataset(beside(path, name))) return read_times(root, beside(path, name), options, about);
  }
  return {uniform_times(about.frames.empty() ? 0 : about.frames[0], options, about.notes)};
}

std::vector<double> numbers_or_nothing(const hdf5::Group& root, const std::string& path, std::size_t wanted) {
  try {
    return neighbour(root, path, wanted);
  } catch (const DataError&) {
    return {};  // damage in an array that nobody asked for
  }
}

// Other neighbours with one number for each sample are its parameters.
void read_parameters(const hdf5::Group& root, const std::string& path, Content& content) {
  constexpr std::size_t most = 100;
  Description& about = content.description;
  std::vector<std::string> parameters;
  const std::string folder = beside(path, "");
  const std::string parent = folder.substr(0, folder.find_last_not_of('/') + 1);
  const auto group = parent.empty() ? root.again() : root.group(parent);
  std::size_t looked_at = 0;
  for (const auto& name : group.children()) {
    if (++looked_at > most) break;
    if (is_coordinate(name) || folder + name == path) continue;
    const auto values = numbers_or_nothing(root, folder + name, about.samples);
    if (values.empty()) continue;
    content.scalars[name] = values;
    parameters.push_back(name);
  }
  about.state.set_names(Role::parameter, parameters);
}

std::unique_ptr<Source> open(const hdf5::Group& root, const OpenOptions& options) {
  Content content;
  Description& about = content.description;
  about.file = root.file();
  about.layout = "plain HDF5";
  const std::string path = choose(root, options, about.notes);
  auto dataset = root.dataset(path);
  const auto letters = axes_of(dataset, options);
  const std::size_t channels = extent_of(dataset.extents(), letters, 'c');
  const std::string alone = channels == 1 ? path.substr(path.rfind('/') + 1) : "";
  about.state.set_names(Role::state,
                        channel_names(dataset.text("channels").value_or(alone), channels, dataset.name()));
  content.views.push_back(open_states(std::move(dataset), letters));
  describe_axes(about, content.views.front());
  about.state.set_boundary(stated_boundary(root, about.notes));
  read_axes(about, [&](const std::string& axis, std::size_t size) {
    return neighbour(root, beside(path, axis), size);
  });
  content.times = find_times(root, path, options, about);
  if (about.samples > 1) read_parameters(root, path, content);
  show_attributes(root, about);
  return std::make_unique<ArraySource>(std::move(content));
}

}  // namespace

const Layout plain{"plain HDF5", [](const hdf5::Group&) { return true; }, open};

}  // namespace cvf::data::layouts
