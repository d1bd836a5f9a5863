// Numbers that count the samples of a file are no parameters of its physics.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "core/interrupt.hpp"
#include "train/suggest.hpp"

namespace cvf::train {
namespace {

bool has_name_of_an_index(std::string name) {
  constexpr std::array known{"member",     "realization", "realisation", "ensemble", "ensemble_member",
                             "sample",     "run",         "trajectory",  "case",     "simulation",
                             "experiment", "index",       "idx",         "id",       "number"};
  constexpr std::array<std::string_view, 3> endings{"_index", "_idx", "_id"};
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const auto ending : endings) {
    if (name.ends_with(ending)) return true;
  }
  return std::ranges::find(known, name) != known.end();
}

// 0 to n - 1 or 1 to n, each once, in any order.
bool counts_samples(std::vector<double> values) {
  std::ranges::sort(values);
  const double first = values.front();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != first + static_cast<double>(i)) return false;
  }
  return first == 0 || first == 1;
}

}  // namespace

std::vector<std::string> sample_indices(const data::Source& source) {
  const auto& d = source.description();
  const auto names = d.state.names(Role::parameter);
  if (names.empty() || d.samples < 2) return {};
  std::vector<std::vector<double>> values(names.size());
  for (std::size_t sample = 0; sample < d.samples; ++sample) {
    interrupt::throw_if_requested("nothing was written");
    const auto row = data::parameters_of(source, sample);
    for (std::size_t p = 0; p < names.size(); ++p) values[p].push_back(row[p]);
  }
  std::vector<std::string> out;
  for (std::size_t p = 0; p < names.size(); ++p) {
    const bool whole = std::ranges::all_of(values[p], [](double v) { return v == std::round(v); });
    const bool varies = std::ranges::any_of(values[p], [&](double v) { return v != values[p].front(); });
    if (whole && varies && (has_name_of_an_index(names[p]) || counts_samples(values[p])))
      out.push_back(names[p]);
  }
  return out;
}

}  // namespace cvf::train
