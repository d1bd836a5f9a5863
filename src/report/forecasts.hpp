// The forecast files of a folder, grouped into scenes, and the truth that belongs to them.
#pragma once

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
  std::vector<double> times;  // of its first sample
};

/// Forecasts of one (data, option) with the same sample, times, channels and grid.
struct Group {
  std::string data, option;
  std::size_t sample = 0;  // its number in the file with the truth
  std::vector<Forecast> forecasts;

  const Forecast& first() const { return forecasts.front(); }
};

/// The forecast of the first seed that has one, for each method. What does not fit its group is left out with
/// a note.
std::vector<Group> find_forecasts(const Folder& folder, std::vector<std::string>& notes);

/// The truth of a group: a source with the forecast's channels and grid, and the frame at each of its times.
struct Truth {
  std::shared_ptr<const data::Source> source;  // null: not there, and `why` says so
  std::vector<std::optional<std::size_t>> frames;
  std::string why;
};
Truth find_truth(const Group& group, const std::string& folder);

}  // namespace cvf::report
