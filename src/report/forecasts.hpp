// The forecast files of a folder, grouped into scenes, and the truth that belongs to them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/source.hpp"
#include "report/folder.hpp"

namespace cvf::report {

struct Forecast {
  std::string method, run, file;
  std::shared_ptr<const data::Source> source;
  std::size_t index = 0;  // of the sample in its file
  std::vector<double> times;
};

/// Forecasts of one (data, option) with the same sample, times, channels and grid, made in the same way.
struct Group {
  std::string data, option;
  std::string evaluation, protocol;  // that scored them; empty: one solve through all times
  std::size_t sample = 0;            // its number in the file with the truth
  std::vector<Forecast> forecasts;

  const Forecast& first() const { return forecasts.front(); }
};

/// The forecasts of the first seed that has any, for each method, evaluation and sample. What does not fit
/// its group is left out with a note.
std::vector<Group> find_forecasts(const Folder& folder, std::vector<std::string>& notes);

/// The truth of a group: a source with the forecast's channels and grid, and the frame at each of its times.
struct Truth {
  std::shared_ptr<const data::Source> source;  // null: not there, and `why` says so
  std::vector<std::optional<std::size_t>> frames;
  std::string why;
};
using Sources = std::map<std::string, std::shared_ptr<const data::Source>>;  // what was opened before
Truth find_truth(const Group& group, const std::string& folder, Sources& opened);

}  // namespace cvf::report
