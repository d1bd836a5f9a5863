// Error bars on the command line: finding the calibration, and saying what the bars are.
#pragma once

#include "cli/opened_run.hpp"
#include "cli/verbs.hpp"
#include "evaluate/doubt.hpp"

namespace cvf::cli {

CLI::Validator between_0_and_1();

/// The bars of one command's forecasts.
class ErrorBars {
 public:
  /// An error says what is missing and which command makes it.
  ErrorBars(const OpenedRun& run, const solvers::Choice& solver, double coverage);

  /// The promise holds for forecasts like those of the calibration only.
  void warn_of_departures(const rollout::Times& times, std::size_t from_frame) const;

  evaluate::Score score() const { return calibration_.score; }
  /// Of frames with these doubts.
  std::vector<double> of(std::size_t sample, const std::vector<double>& doubts,
                         const std::vector<double>& times);
  /// Of each value of a frame, from its value_scales; infinite: no promise.
  rollout::StateArray of_values(const rollout::StateArray& scales, double elapsed) const;

  /// Evaluations that the bars took beside the forecasts.
  void add_cost(std::int64_t evaluations) { evaluations_ += evaluations; }
  /// The bars at the last frames: of each sample, or of many together; and what they cost.
  std::string summary() const;

 private:
  struct Last {
    std::size_t sample;
    double time, bar;
  };

  evaluate::Calibration calibration_;
  double coverage_, factor_;
  std::int64_t evaluations_ = 0;
  std::vector<Last> last_;
};

}  // namespace cvf::cli
