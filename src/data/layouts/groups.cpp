// Layout A, PDEBench groups and our own files: one group of digits for each sample, with `data` and
// `grid/{x,y,z,t}`. Samples may differ in length and times. Ours add `<key>/scalars/<name>`, `static/<name>`
// `controls/<name>` and `control_fields/<name>`, and attributes axes, channels, boundary, parameters, static,
// controls, control_fields.
#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "data/array.hpp"
#include "data/groups_format.hpp"
#include "data/layouts/layout.hpp"
#include "data/layouts/sample_cache.hpp"

namespace cvf::data::layouts {
namespace {

bool is_digits(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
}

bool numerically_less(const std::string& a, const std::string& b) {
  const auto significant = [](const std::string& key) {
    return key.substr(std::min(key.find_first_not_of('0'), key.size()));
  };
  const std::string left = significant(a), right = significant(b);
  return std::make_pair(left.size(), left) < std::make_pair(right.size(), right);
}

std::vector<std::string> keys_of(const hdf5::Group& root) {
  auto keys = root.children();
  std::erase_if(keys, [](const std::string& key) { return !is_digits(key); });
  std::sort(keys.begin(), keys.end(), numerically_less);
  return keys;
}

bool recognises(const hdf5::Group& root) {
  const auto keys = keys_of(root);
  return std::any_of(keys.begin(), keys.end(),
                     [&](const auto& key) { return root.has_dataset(key + "/data"); });
}

std::size_t length_of(const hdf5::Group& sample, const std::string& child) {
  return sample.has_dataset(child) ? sample.dataset(child).size() : 0;
}

// PDEBench writes both (t,y,x,c) and (t,x,y,c) and says neither: the lengths of the coordinates tell, unless
// the grid is square.
std::string implied_axes(const hdf5::Group& sample, const hdf5::Dataset& data,
                         std::vector<std::string>& notes) {
  if (const auto given = data.text("axes")) return *given;
  const Extents& extents = data.extents();
  if (extents.size() == 2) return "t,c";
  if (extents.size() == 3) return "t,x,c";
  if (extents.size() == 5) return "t,z,y,x,c";
  if (extents.size() != 4) {
    throw DataError("{}: has {} axes ({}); known are t,z,y,x,c and t,y,x,c and t,x,c and t,c", data.name(),
                    extents.size(), spell(extents));
  }
  const std::size_t nx = length_of(sample, "grid/x"), ny = length_of(sample, "grid/y");
  const bool x_first = nx == extents[1] && ny == extents[2];
  if (x_first && nx != ny) return "t,x,y,c";
  if (nx == ny && nx != 0)
    notes.push_back("the grid is square: axes are taken as t,y,x,c (--axes t,x,y,c swaps them)");
  return "t,y,x,c";
}

std::string known_names(std::size_t channels) {
  return channels == 1 ? "u" : channels == 2 ? "u,v" : "";
}

class GroupSource : public Source {
 public:
  GroupSource(const hdf5::Group& root, const OpenOptions& options)
      : root_(root.again()),
        options_(options),
        keys_(keys_of(root)),
        cache_([this](std::size_t sample, std::size_t* bytes) { return open_sample(sample, bytes); }) {
    describe();
    for (std::size_t sample = 0; sample < keys_.size(); ++sample) {
      interrupt::throw_if_requested("no file was opened");
      measure(sample);
    }
    if (with_remark_ > 1)
      about_.notes.back() += fmt::format(", and so it is in {} further samples", with_remark_ - 1);
    read_times(0, about_.notes);
  }

  const Description& description() const override { return about_; }

  std::vector<double> times(std::size_t sample) const override {
    require_request(about_, sample, 0, 0, 0);
    std::vector<std::string> notes;  // those of the first sample were kept when the file was opened
    return read_times(sample, notes);
  }

  void read(std::size_t sample, std::size_t first, std::size_t count, std::span<float> out) const override {
    require_request(about_, sample, first, count, out.size());
    data::read(*cache_.get(sample), sample, first, count, shape_of(about_), out.data());
  }

  std::map<std::string, double> scalars(std::size_t sample) const override {
    require_request(about_, sample, 0, 0, 0);
    std::map<std::string, double> found;
    const std::string path = keys_[sample] + "/scalars";
    if (!root_.has_group(path)) return found;
    const auto group = root_.group(path);
    for (const auto& name : group.children()) {
      const auto values = group.dataset(name).read_all();
      if (values.size() == 1) found[name] = values[0];
    }
    return found;
  }

  std::vector<float> static_field(std::size_t sample, const std::string& name) const override {
    require_request(about_, sample, 0, 0, 0);
    if (!contains(about_.state.names(Role::static_field), name)) return Source::static_field(sample, name);
    return field(sample, static_path(name), "static field", "tc", 1);
  }

  std::vector<float> control(std::size_t sample, const std::string& name) const override {
    require_request(about_, sample, 0, 0, 0);
    if (contains(about_.state.names(Role::control_field), name))
      return field(sample, control_field_path(name), "control field", "c", about_.frames[sample]);
    if (!contains(about_.state.names(Role::control), name)) return Source::control(sample, name);
    const auto dataset = root_.dataset(keys_[sample] + "/" + control_path(name));
    if (dataset.rank() != 1 || dataset.size() != about_.frames[sample]) {
      throw DataError("{}: has {} values, but the sample has {} frames", dataset.name(),
                      spell(dataset.extents()), about_.frames[sample]);
    }
    const auto stored = dataset.read_all();
    const std::vector<float> values(stored.begin(), stored.end());
    require_numbers(values, dataset.name());
    return values;
  }

 private:
  // An array with the axes of the data but for those that it lacks.
  std::vector<float> field(std::size_t sample, const std::string& path, const char* kind,
                           std::string_view lacks, std::size_t frames) const {
    auto dataset = root_.dataset(keys_[sample] + "/" + path);
    std::string letters = letters_;
    std::erase_if(letters, [&](char axis) { return lacks.find(axis) != std::string_view::npos; });
    if (dataset.rank() != letters.size()) {
      throw DataError("{}: has {} axes, but a {} has {} ({})", dataset.name(), dataset.rank(), kind,
                      letters.size(), spell_axes(letters));
    }
    const View view = open_states(std::move(dataset), letters);
    require_fit(view, about_, frames);
    std::vector<float> values(frames * about_.state.cells());
    data::read(view, sample, 0, frames, {about_.state, 1}, values.data());
    require_numbers(values, view.array->name());
    return values;
  }

  static bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  // What lies beside the frames of a sample, under the names that the root gives, else under those that the
  // first sample has. The text may be a stranger's and mean something else: names of nothing are left out.
  std::vector<std::string> beside(const hdf5::Group& sample, const std::string& attribute,
                                  const std::string& folder) {
    const auto text = root_.text(attribute);
    std::vector<std::string> names;
    if (!text) {
      if (folder != "scalars" && sample.has_group(folder)) names = sample.group(folder).children();
      return names;
    }
    for (const auto& name : trimmed_names(*text)) {
      if (sample.has_dataset(folder + "/" + name)) {
        names.push_back(name);
      } else {
        about_.notes.push_back(fmt::format("attribute '{}' names {}, but sample {} has no {}/{}: left out",
                                           attribute, name, keys_.front(), folder, name));
      }
    }
    return names;
  }

  // Everything that the samples have in common is read from the first.
  void describe() {
    const auto sample = root_.group(keys_.front());
    const auto data = sample.dataset("data");
    letters_ = axes_for(data, options_, implied_axes(sample, data, about_.notes));
    if (letters_.find('n') != std::string::npos) {
      throw DataError("{}: axes {} name samples, but each sample has its own group", data.name(),
                      spell_axes(letters_));
    }
    describe_axes(about_, open_states(sample.dataset("data"), letters_));
    about_.file = root_.file();
    about_.layout = "PDEBench groups";
    about_.samples = keys_.size();
    about_.frames.clear();
    read_axes(about_, sample, "grid/");
    name_channels(data);
    about_.state.set_names(Role::parameter, beside(sample, "parameters", "scalars"))
        .set_names(Role::static_field, beside(sample, "static", "static"))
        .set_names(Role::control, beside(sample, "controls", "controls"))
        .set_names(Role::control_field, beside(sample, "control_fields", "control_fields"));
    show(sample);
  }

  void name_channels(const hdf5::Dataset& data) {
    const std::size_t count = extent_of(data.extents(), letters_, 'c');
    const auto given = data.text("channels");
    const auto names = given ? *given : root_.text("channels").value_or(known_names(count));
    about_.state.set_names(Role::state, channel_names(names, count, data.name()));
    require_names_and_coordinates(about_);
  }

  void show(const hdf5::Group& sample) {
    show_attributes(root_, about_);
    auto config = sample.text("config");
    if (!config) config = root_.text(keys_.front() + "/config");
    if (config) about_.attributes["config"] = *config;
    about_.state.set_boundary(root_.has_attribute("boundary") ? stated_boundary(root_, about_.notes)
                                                              : groups_boundary(about_));
  }

  // Samples may differ in length and times, in nothing else.
  void measure(std::size_t sample) {
    const auto group = root_.group(keys_[sample]);
    const auto data = group.dataset("data");
    const Extents& extents = data.extents();
    if (sample == 0) first_ = {extents, data.text("axes"), data.text("channels"), has_times(group)};
    if (extents.size() != letters_.size()) {
      throw DataError("{}: has {} axes, but the first sample has {}", data.name(), extents.size(),
                      letters_.size());
    }
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      if (letters_[axis] == 't' || extents[axis] == first_.extents[axis]) continue;
      throw DataError("{}: has {} entries along {}, but the first sample has {}", data.name(), extents[axis],
                      letters_[axis], first_.extents[axis]);
    }
    about_.frames.push_back(extent_of(extents, letters_, 't'));
    if (about_.frames.back() == 0) throw DataError("{}: has no frames", data.name());
    const std::string remark = data.remark();
    if (!remark.empty() && ++with_remark_ == 1) about_.notes.push_back(remark);
    if (sample > 0) require_like_first(group, data);
  }

  static bool has_times(const hdf5::Group& sample) { return sample.kind("grid/t") != hdf5::Kind::none; }

  void require_like_first(const hdf5::Group& sample, const hdf5::Dataset& data) const {
    const auto require_same = [&](const char* attribute, const std::optional<std::string>& first) {
      const auto own = data.text(attribute);
      if (own == first) return;
      throw DataError("{}: attribute '{}' is '{}', but '{}' in the first sample; write the samples alike",
                      data.name(), attribute, own.value_or(""), first.value_or(""));
    };
    if (options_.axes.empty()) require_same("axes", first_.axes);
    require_same("channels", first_.channels);
    if (has_times(sample) != first_.has_times) {
      throw DataError(
          "{}: has {} grid/t, but the first sample has {}; write the times of all samples or of none",
          sample.name(), first_.has_times ? "no" : "a", first_.has_times ? "one" : "none");
    }
    for (const auto& axis : about_.state.axes) require_same_grid(sample, axis);
  }

  // Coordinates in float32 may differ by rounding.
  void require_same_grid(const hdf5::Group& sample, const Axis& axis) const {
    std::vector<std::string> notes;
    const auto own = read_coordinates(sample, "grid/" + axis.name, axis.size, notes);
    const std::size_t n = axis.coordinates.size();
    const double tolerance = n < 2 ? 0
                                   : 1e-3 * std::abs(axis.coordinates.back() - axis.coordinates.front()) /
                                         static_cast<double>(n - 1);
    const auto same = [&](double a, double b) { return std::abs(a - b) <= tolerance || a == b; };
    if (std::equal(own.begin(), own.end(), axis.coordinates.begin(), axis.coordinates.end(), same)) return;
    throw DataError(
        "{}: its grid/{} is not that of the first sample; put samples of each grid into a file of their own",
        sample.name(), axis.name);
  }

  std::vector<double> read_times(std::size_t sample, std::vector<std::string>& notes) const {
    const std::string path = keys_[sample] + "/grid/t";
    auto values = read_coordinates(root_, path, about_.frames[sample], notes);
    if (values.empty()) values = uniform_times(about_.frames[sample], options_, notes);
    require_increasing(values, fmt::format("{}: '/{}'", about_.file, path));
    return values;
  }

  View open_sample(std::size_t sample, std::size_t* cache_bytes) const {
    View view = open_states(root_.dataset(keys_[sample] + "/data"), letters_, cache_bytes);
    require_fit(view, about_, about_.frames[sample]);
    return view;
  }

  hdf5::Group root_;
  OpenOptions options_;
  Description about_;
  std::vector<std::string> keys_;
  std::string letters_;
  struct First {
    Extents extents;
    std::optional<std::string> axes, channels;  // attributes of its data
    bool has_times = false;
  };
  First first_;
  std::size_t with_remark_ = 0;  // samples
  SampleCache cache_;
};

std::unique_ptr<Source> open(const hdf5::Group& root, const OpenOptions& options) {
  return std::make_unique<GroupSource>(root, options);
}

}  // namespace

const Layout groups{"PDEBench groups", recognises, open};

}  // namespace cvf::data::layouts
