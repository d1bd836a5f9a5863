// Controls from a file of their own: CSV, NPZ or HDF5.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/text.hpp"
#include "data/bytes.hpp"
#include "data/context.hpp"
#include "data/groups_format.hpp"
#include "data/hdf5.hpp"
#include "data/layouts/layout.hpp"
#include "data/npz_archive.hpp"
#include "data/numpy.hpp"

namespace cvf::data {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // spreadsheets begin UTF-8 with it

struct Column {
  std::string name;
  std::vector<double> values;
};
using Columns = std::vector<Column>;

std::string stripped(const std::string& word) {
  const auto first = word.find_first_not_of(" \t\r\"'");
  if (first == std::string::npos) return "";
  return word.substr(first, word.find_last_not_of(" \t\r\"'") - first + 1);
}

Columns read_csv(const std::string& file) {
  Columns out;
  std::size_t number = 0;
  std::string text = files::read_whole(file);
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  for (const auto& line : text::split(text, '\n')) {
    ++number;
    if (stripped(line).empty()) continue;
    const auto words = text::split(line, ',');
    if (out.empty()) {
      for (const auto& word : words) out.push_back({stripped(word), {}});
      continue;
    }
    if (words.size() != out.size()) {
      throw DataError("{}: line {} has {} values; the first line names {} columns", file, number,
                      words.size(), out.size());
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string word = stripped(words[i]);
      double value = 0;
      const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (problem != std::errc{} || end != word.data() + word.size()) {
        throw DataError("{}: line {}: '{}' is not a number; the first line names the columns, e.g. t,force",
                        file, number, text::printable(word));
      }
      out[i].values.push_back(value);
    }
  }
  return out;
}

bool is_archive(const std::string& file) {
  const auto bytes = file_bytes(file);
  std::string first(std::min<std::size_t>(2, bytes->size()), ' ');
  bytes->read(0, first.size(), first.data());
  return first == "PK";
}

Columns read_npz(const std::string& file) {
  Columns out;
  const npz::Archive archive(file);
  for (const auto& name : archive.names()) {
    const auto* member = archive.find(name);
    if (member->header.extents.size() == 1)
      out.push_back({name, npy::read_all(*member->bytes, member->header, member->full_name)});
  }
  return out;
}

// Of a data file: what acts on its only sample, as a forecast was given it or else at the times of its
// frames.
Columns controls_of_sample(const std::string& file) {
  const auto source = open(file);
  const auto names = source->description().state.names(Role::control);
  if (names.empty()) return {};
  if (source->description().samples != 1) {
    throw DataError(
        "{}: has the controls of {} samples, and a control file those of one; cvf data convert "
        "--samples takes it out",
        file, source->description().samples);
  }
  Columns out{{"t", read_small_array(file, 0, "control_series", "t")}};
  const bool as_given = !out.front().values.empty();
  if (!as_given) out.front().values = source->times(0);
  for (const auto& name : names) {
    if (as_given) {
      out.push_back({name, read_small_array(file, 0, "control_series", name)});
    } else {
      const auto values = source->control(0, name);
      out.push_back({name, {values.begin(), values.end()}});
    }
  }
  return out;
}

Columns read_hdf5(const std::string& file) {
  probe_controls(file);
  Columns out;
  {
    const auto root = hdf5::File::open(file).root();
    for (const auto& name : root.children()) {
      if (!root.has_dataset(name)) continue;
      const auto dataset = root.dataset(name);
      if (dataset.rank() == 1 && dataset.is_numeric()) out.push_back({name, dataset.read_all()});
    }
    if (!out.empty() || !layouts::groups.recognises(root)) return out;
  }
  return controls_of_sample(file);
}

void check_names(const std::string& file, const Columns& columns) {
  std::set<std::string> names;
  for (const auto& column : columns) {
    if (column.name.empty()) throw DataError("{}: a column has no name; name each, e.g. t,force", file);
    if (!names.insert(column.name).second)
      throw DataError("{}: two columns are called '{}'; give each a name of its own", file, column.name);
  }
}

void check_times(const std::string& file, const std::vector<double>& times) {
  if (times.empty()) throw DataError("{}: has no values", file);
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] < times[i - 1])
      throw DataError("{}: time {} comes after {}; times must not decrease", file, times[i], times[i - 1]);
    if (i > 1 && times[i] == times[i - 2])
      throw DataError("{}: time {} is there three times; two of them make a jump", file, times[i]);
  }
}

}  // namespace

void GivenContext::read_controls(const std::string& from) {
  files::require_regular(from);  // its first bytes are looked at before it is read
  Columns columns = is_archive(from)      ? read_npz(from)
                    : hdf5::is_hdf5(from) ? read_hdf5(from)
                                          : read_csv(from);
  check_names(from, columns);
  const auto time = std::find_if(columns.begin(), columns.end(),
                                 [](const Column& c) { return c.name == "t" || c.name == "time"; });
  if (time == columns.end()) {
    throw DataError(
        "{}: has no times; a CSV begins with names like t,force, an NPZ or HDF5 file has the arrays t and "
        "force",
        from);
  }
  file = from;
  times = time->values;
  columns.erase(time);
  check_times(file, times);
  controls.clear();
  values.clear();
  for (const auto& column : columns) {
    if (column.values.size() != times.size()) {
      throw DataError("{}: '{}' has {} values for {} times", file, column.name, column.values.size(),
                      times.size());
    }
    controls.push_back(column.name);
  }
  for (std::size_t t = 0; t < times.size(); ++t) {
    bool finite = std::isfinite(times[t]);
    for (const auto& column : columns) {
      finite = finite && std::isfinite(column.values[t]);
      values.push_back(static_cast<float>(column.values[t]));
      if (finite && !std::isfinite(values.back())) {
        throw DataError("{}: '{}' at time {} is {}, beyond the range of float32; rescale the values", file,
                        column.name, times[t], column.values[t]);
      }
    }
    if (!finite) throw DataError("{}: a value at time {} is not finite", file, times[t]);
  }
}

}  // namespace cvf::data
