// A forecast as a data file of our own layout, readable like any other, with how it came about beside it:
//   /0000/data, grid        the states; frames that were not reached are NaN
//   /0000/steps/{time,step,nre}                                accepted steps; nre NaN where not measured
//   /0000/frames/{evaluations,accepted,rejected,status}        of each frame's interval; 0 for the given one,
//   but
//                           for the status where that is outside of training
//   /0000/frames/error_bar  if asked for: what the RMSE of the frame stays below, at every frame of the
//   sample
//                           with the probability error_bar_coverage (root's attribute); inf: no promise
//   /0000/spread            of a model of several members: their standard deviation, value by value
//   /0000/value_bar         error bars whose score has values (spread, step doubling): what the error of a
//   value,
//                           drawn at random from the frames of its lead time, stays below with that
//                           probability
//   /0000/scalars/{source_sample,evaluations,accepted,rejected,status,largest_nre}, and the parameters
//   /0000/static, controls, control_fields                     what else the forecast went under; controls at
//   the
//                           times of the frames
//   /0000/control_series/{t,NAME}                              as they were given, where at other times
// status counts from 0 as the root's attribute status_names lists them.
#pragma once

#include <map>

#include "core/files.hpp"
#include "data/groups_writer.hpp"
#include "rollout/protocols.hpp"

namespace cvf::rollout {

class ForecastFile {
 public:
  /// `plan` says everything but the scalars; `sources` are the numbers that the samples had where they came
  /// from. What a killed forecast left behind is removed; what is not finished goes with this object.
  ForecastFile(const std::string& path, data::GroupsPlan plan, std::vector<std::size_t> sources);

  /// What a sample went under, before its records; a plan that names a context (`add_context`) needs it.
  void write_context(std::size_t sample, const SampleContext& context);
  void write(std::size_t sample, std::size_t frame, const StateArray& state);
  /// An array beside the states that the plan names, "spread" or "value_bar", shaped as they are.
  void write_beside(std::string_view name, std::size_t sample, std::size_t frame, const StateArray& values);

  /// `first` is the sample of frames[0]; every sample must come once, then `finish`.
  void write_records(std::size_t first, const std::vector<std::vector<Frame>>& frames);
  /// Error bars of a sample, one for each frame.
  void write_error_bars(std::size_t sample, std::vector<double> bars) { bars_[sample] = std::move(bars); }
  void finish();

 private:
  void write_missing(std::size_t sample, const std::vector<Frame>& frames);

  std::vector<std::size_t> sources_;
  WriterLock lock_;
  data::GroupsWriter writer_;
  std::vector<std::vector<Frame>> records_;
  std::map<std::size_t, std::vector<double>> bars_, parameters_;
  std::vector<data::SmallArray> series_;
};

/// Makes room for a context in a plan.
void add_context(data::GroupsPlan& plan, const ContextNames& names);

}  // namespace cvf::rollout
