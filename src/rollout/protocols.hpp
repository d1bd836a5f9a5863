// From a first frame to the wanted ones: how long each solve is, and what it may see.
// Normalised once, integrated, denormalised once.
#pragma once

#include <functional>

#include "rollout/setup.hpp"
#include "solvers/frames.hpp"

namespace cvf::rollout {

/// For each sample: the time of its given frame, then those of the wanted frames. Samples may differ.
using Times = std::vector<std::vector<double>>;

/// A DataError that names the file and the sample when its times do not increase from each to the next.
void check_times(const std::string& file, std::size_t sample, const std::vector<double>& times);

/// How a frame was reached. Counts are of its interval; in a direct forecast, from t_0.
using solvers::Frame;

struct Forecast {
  StateArray states;                       // [B,T,C,...], frame 0 is the given one; NaN where not reached
  std::vector<std::vector<Frame>> frames;  // [B][frames of the sample]

  // Of a model of several members: `states` is their mean, and a frame has the counts of all of them, the
  // worst status and the steps of the first.
  StateArray spread = {};              // standard deviation over members, shaped as the states
  std::vector<Forecast> members = {};  // each by itself
};

/// Frame by frame: each solve starts from the frame before, as predicted, and covers one interval.
Forecast time_informed(const Setup& setup, const StateArray& start, const Times& times,
                       const SampleContexts& contexts = {});

/// Every frame in a solve of its own from the given one, with no times between. Solvers whose steps do not
/// depend on the targets get there in one pass.
Forecast direct(const Setup& setup, const StateArray& start, const Times& times,
                const SampleContexts& contexts = {});

/// Teacher forced: every frame from the true frame before it, states [B,T,C,...]. Frames beyond the times of
/// a sample are not looked at.
Forecast one_step(const Setup& setup, const StateArray& states, const Times& times,
                  const SampleContexts& contexts = {});

/// One solve through all times, as one would forecast; `sink` gets each frame (given ones too) as soon as all
/// members have reached it, if there is one, and then `states` stays undefined: long horizons need no memory.
/// Steps are filed under the frame that they lead to or past. The spread of one member is undefined.
using FrameSink = std::function<void(std::size_t sample, std::size_t frame, const StateArray& state,
                                     const StateArray& spread)>;
Forecast forecast(const Setup& setup, const StateArray& start, const Times& times, const FrameSink& sink = {},
                  const SampleContexts& contexts = {});

/// The way of `done`, a forecast or a time-informed rollout from the same start, once more with every step in
/// two halves: for solvers that step along the mean velocity.
Forecast with_half_steps(const Setup& setup, const StateArray& start, const Times& times,
                         const Forecast& done, const SampleContexts& contexts = {});

/// Gives the steps of such a rollout their NRE where its solver took them along the mean velocity and did not
/// measure it: the same way once more. Returns the evaluations of that; 0: there was nothing to do.
std::int64_t judge_steps(const Setup& setup, const StateArray& start, const Times& times, Forecast& done,
                         const SampleContexts& contexts = {});

}  // namespace cvf::rollout
