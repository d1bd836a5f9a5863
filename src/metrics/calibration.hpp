// Error bars that one can trust: how many times its own doubt the true error of a forecast may be.
//
// The doubt of a frame needs no truth (`Signal`: the sum of ruptures, step doubling, or the spread of
// members). Its error is the RMSE over all its values, in physical units. Frames of one trajectory depend on
// each other, so they cannot be counted as so many trials; trajectories are exchangeable. Therefore every
// validation trajectory gives one number, its largest error / (shape * doubt) over all frames, and the
// promise is about whole trajectories: with n of them, and q the ceil((n + 1) coverage)-th smallest number,
//   P(error <= q * shape(time) * doubt at every frame of a new trajectory) >= coverage,
// over the draw of the validation and the new trajectory together, whatever the model and the data are. The
// shape says how error / doubt runs over the time since the start; it comes from training samples, so the
// promise does not depend on it, only how close the bars are. New means drawn like the others: the same
// system, frame 0 as its start, the same spacing of frames, no longer than they were. (A model that was
// chosen by its validation error has seen a little of these numbers.)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/config.hpp"
#include "metrics/lead_time_bins.hpp"

namespace cvf::metrics {

inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// What the doubt of a forecast is.
enum class Signal {
  rupture,        // the sum over the accepted steps so far of NRE * step
  step_doubling,  // the difference from the same way gone in half steps
  spread          // the standard deviation over the members of the model
};

/// The least uncertainty score of a frame or a value. It is above 0, so that scores divide errors, and below
/// the states of any unit.
inline constexpr double least_score = 1e-30;

/// A step counts with at least this NRE: round-off must not make a doubt of nothing.
inline constexpr double least_nre = 1e-6;

/// The sum of ruptures at each frame of a sample, which knows its steps and status (rollout::Frame); inside a
/// step, with as much of it as has passed. Infinite from the first step on whose NRE was not measured, and
/// where the solver stopped.
template <class Frame>
std::vector<double> doubts(const std::vector<Frame>& frames, const std::vector<double>& times) {
  std::vector<double> out;
  double before = 0, nre = 0, begin = times.at(0), length = 0;  // of the last step
  for (std::size_t k = 0; k < frames.size(); ++k) {
    for (const auto& step : frames[k].steps) {
      before += nre * length;
      nre = std::isnan(step.error) ? infinite : std::max(step.error, least_nre);
      begin = step.time, length = step.step;
    }
    const bool known = std::isfinite(nre) && reaches_target(frames[k].row_status.status);
    if (!known) before = infinite;
    out.push_back(known ? before + nre * std::min(length, std::abs(times[k] - begin)) : infinite);
  }
  return out;
}

/// How large an error of each value is expected, from what members (or half steps) say of it: a few of them
/// tell the deviation of one value poorly, so half of the variance is that of its channel over the grid of
/// the frame. `cells` are those of a channel of a state; of one (vectors) the deviation is its own.
template <class T>
void value_scales(std::span<const T> values, std::size_t cells, T* scales);

/// Their root mean square over a frame, a single state; never quite 0; infinite where it is not known.
template <class T>
double frame_score(std::span<const T> scales);

struct Calibration {
  std::string checkpoint, solver;  // what it holds for: hash of the model's manifest, solver as TOML
  Signal score = Signal::rupture;  // what the doubt is
  std::string data_hash, samples;  // what it was made from
  std::int64_t trajectories = 0;
  std::int64_t unbounded = 0;                          // of these, how many had frames without a doubt
  double horizon = 0;                                  // the longest time from a given frame to a last one
  double shortest_interval = 0, longest_interval = 0;  // between frames
  std::vector<double> shape;   // in octaves of the time since the start, the last to the horizon; empty: 1
  std::vector<double> ratios;  // largest error / (shape * doubt) of each trajectory, sorted
  LeadTimeBins bins;           // of single values (of frames, for the rupture); files of old have none

  /// Sorts the numbers of all trajectories, and thins them to 2000 of which none promises too much.
  void set_ratios(std::vector<double> all);

  /// q above; a UsageError says how many trajectories this coverage would take.
  double factor(double coverage) const;

  /// The shape at a time since the start.
  double shape_at(double elapsed) const;
  /// Which octave that is.
  std::size_t octave(double elapsed) const;

  /// factor * shape * doubt for each frame; infinite, which is no promise, beyond the horizon.
  std::vector<double> bars(double factor, const std::vector<double>& doubt,
                           const std::vector<double>& times) const;

  /// What |error| / value_scales (of frames: error / doubt) stays below at this coverage, at a time since the
  /// start; infinite: no promise.
  double value_factor(double coverage, double elapsed) const;

  /// Why it says nothing about this checkpoint with this solver, as a sentence; empty when it does.
  std::string objection(const std::string& for_checkpoint, const std::string& for_solver) const;
  /// What makes a forecast with these times another kind than those calibrated; empty when it is the same.
  std::string departure(const std::vector<double>& times) const;

  void describe(config::Section& section);
};

/// FOLDER.calibration.toml: beside the model, whose folder holds nothing but what its manifest names.
std::string calibration_file(const std::string& model_folder);

void save(Calibration calibration, const std::string& file);
/// A ModelError with one sentence for a file that is damaged or means nothing.
Calibration load_calibration(const std::string& file);

}  // namespace cvf::metrics
