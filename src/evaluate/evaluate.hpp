// A trained model against the truth of a file: protocols, metrics and how far the model's own doubt can be
// trusted. Rows of samples pass through one group at a time, so the memory does not grow with the file.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/source.hpp"
#include "evaluate/baselines.hpp"
#include "evaluate/calibrate.hpp"
#include "evaluate/trust.hpp"
#include "evaluate/truth.hpp"
#include "metrics/scoreboard.hpp"
#include "rollout/protocols.hpp"

namespace cvf::evaluate {

/// The forecasts behind the scores of an evaluation, kept as a file of `cvf rollout`'s layout: pictures that
/// show what the table counts.
class Kept {
 public:
  /// The first `most` samples are kept in memory.
  explicit Kept(std::size_t most = 0) : most_(most) {}

  /// `direct`: every frame was reached in a solve of its own; the steps of the last one stand for all.
  void take(const Truth& truth, const rollout::Forecast& forecast, bool direct);

  std::size_t samples() const { return samples_.size(); }
  void write(const std::string& file, const data::Source& source,
             std::vector<std::pair<std::string, std::string>> attributes) const;

 private:
  std::size_t most_;
  std::vector<std::size_t> samples_;
  rollout::Times times_;
  std::vector<torch::Tensor> states_;  // [T,C,...]
  std::vector<std::vector<rollout::Frame>> frames_;
  rollout::SampleContexts contexts_;
};

struct Options : Viewing {
  std::vector<std::string> protocols{"time_informed", "direct"};
  bool one_step = true;
  std::vector<std::size_t>
      training;                // samples of the file whose mean state is a baseline; none: the normalizer's
  int training_every = 0;      // training saw every so many frames of the file; 0: not known, or irregular
  std::size_t keep = 0;        // forecasts of so many samples, for pictures
  bool step_doubling = false;  // goes every time-informed way once more in half steps, as a signal of trust
};

/// An error of the members, each by itself; a member that diverged has none.
struct OneMember {
  const metrics::Row* row;
  std::vector<std::optional<double>> members;

  std::optional<double> mean() const;  // none where one of them diverged
};

struct Part {
  std::string protocol;  // "one_step", "time_informed", "direct" or "forecast"
  std::vector<metrics::Score> scores;
  std::string divergence;  // a sentence; empty: none
  Trust trust;             // time_informed or forecast along secants, or with another doubt
  std::vector<Baseline> baselines;
  std::vector<OneMember> one_member;  // of a model of several
  Kept kept;

  const metrics::Score* find(std::string_view metric) const;
};

struct Evaluation {
  std::vector<Part> parts;
  std::vector<double> times;  // of each frame looked at, since the given one; mean over samples
  int every = 1, training_every = 0;
  std::string warning;  // why the model is of no use as it is; empty: it is better than the baselines
  std::optional<Coverage> coverage;  // of the error bars, where the model has a calibration

  std::vector<std::size_t> training_frames() const;  // those of `times` that training saw
};

/// What metrics use of a file: system, channels, grid and the parameters of the equation, as numbers among
/// its attributes, in the options that cvf generated it with, or of each of `samples`.
metrics::Setting setting_of(const data::Source& source, std::span<const std::size_t> samples);

Evaluation evaluate(const rollout::Setup& setup, const data::Source& source,
                    std::span<const std::size_t> samples, const Options& options);

// A forecast that any program wrote, against the truth of a file, by the metrics of an evaluation.

/// Which samples of the truth those of the forecast are, one by one: as `given`, else as the forecast itself
/// says
/// (`source_sample`, which cvf rollout writes), else the same numbers in files of as many samples. A
/// UsageError where nobody knows.
std::vector<std::size_t> samples_forecast(const data::Source& forecast, const data::Source& truth,
                                          std::vector<std::size_t> given);

/// Scores the frames whose times the truth has, too. The first frame of each sample is where its forecast
/// starts, and is not scored. Channels are matched by name; a DataError says what does not fit.
Evaluation evaluate_forecast(const std::shared_ptr<const data::Source>& forecast,
                             const std::shared_ptr<const data::Source>& truth,
                             const std::vector<std::size_t>& samples);

}  // namespace cvf::evaluate
