// What a run tells: log.jsonl (every event), metrics.csv (a row for each line of losses), and a TensorBoard
// event file if wished. A resumed run first drops what was written after its checkpoint, so the files read as
// if it had never stopped.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/event_file.hpp"

namespace cvf::train {

/// Names and numbers of one event, in order. NaN is written as null and as an empty cell.
using Numbers = std::vector<std::pair<std::string, double>>;

class Journal {
 public:
  /// Keeps the lines up to `step` and appends. A journal without a folder tells nothing (ranks but 0).
  Journal(std::string folder, std::int64_t step, bool tensorboard = false);

  /// {"event":"validation","step":500,...}
  void event(const std::string& kind, std::int64_t step, const Numbers& numbers,
             const std::vector<std::pair<std::string, std::string>>& texts = {});

  /// Whether the run's log has an event of this kind at this step.
  static bool has(const std::string& folder, const std::string& kind, std::int64_t step);

  /// A row of metrics.csv and an event "step". The first row decides the columns.
  void row(std::int64_t step, const Numbers& numbers);

 private:
  void tell_tensorboard(const std::string& kind, std::int64_t step, const Numbers& numbers);

  std::string folder_;
  std::ofstream log_, csv_;
  std::unique_ptr<EventFile> events_;
  bool has_header_ = false;
};

}  // namespace cvf::train
