// Several metrics fed with the same frames, and the record of what diverged.
//
// A sample whose prediction is not finite has diverged at that frame, and stays so. Then no metric of states
// has a value: a mean without that sample would praise the model for its worst failure. Frame-by-frame values
// go on up to the first such frame.
#pragma once

#include "metrics/metric.hpp"

namespace cvf::metrics {

struct Score : Summary {
  const Row* row = nullptr;
  bool diverged = false;

  std::string text() const;  // "0.0123", ">= 1.5", "diverged", "-"
};

class Scoreboard {
 public:
  /// The metrics called `names`; a UsageError for one that is not in the table or is derived from others.
  Scoreboard(std::span<const std::string> names, const Setting& setting);

  /// Frame 0 is passed over. A DataError names the sample and frame whose truth is not finite, that came
  /// twice or whose shapes differ.
  void add(const Frame& frame);
  /// Takes over what another of the same metrics saw: other samples, or other frames.
  void merge(const Scoreboard& other);

  std::vector<Score> scores() const;
  Score score(std::string_view name) const;

  const std::map<std::int64_t, std::int64_t>& divergences() const {
    return diverged_;
  }  // sample -> its frame
  std::string divergence_sentence()
      const;  // "2 of 8 samples diverged: sample 3 at frame 7, ..."; empty: none

 private:
  struct Column {
    const Row* row;
    std::shared_ptr<const Metric> metric;
    Rows rows;
  };
  void check(const Frame& frame) const;
  std::vector<bool> finite_rows(const Frame& frame);
  void note_divergence(std::int64_t sample, std::int64_t frame);
  Score score(const Column& column) const;

  std::vector<Column> columns_;
  std::map<std::int64_t, std::int64_t> diverged_;
  std::map<std::int64_t, std::map<std::int64_t, bool>> seen_;  // sample -> its frames
};

}  // namespace cvf::metrics
