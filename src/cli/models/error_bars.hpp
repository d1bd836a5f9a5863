// Error bars on the command line: making the calibration, finding it again, and saying what the bars are.
#pragma once

#include <optional>

#include "cli/verbs.hpp"
#include "data/splits.hpp"
#include "evaluate/calibrate.hpp"
#include "run/folder.hpp"

namespace cvf::cli {

CLI::Validator between_0_and_1();

using Samples = std::vector<std::size_t>;

/// Only validation samples calibrate: a sentence names the first that was trained on or is for testing, or
/// says that the file is not the run's own any more.
void refuse_unfit(const data::Splits& splits, const Samples& list, const run::Folder& run,
                  const std::string& data_file);

/// As many training samples as there are for calibration, for the shape of the bars over time.
Samples shape_samples(const data::Splits& splits, const Samples& list);

void write_calibration(const run::Folder& run, const solvers::Choice& solver, evaluate::Score score,
                       const std::vector<evaluate::Trial>& trials,
                       const std::vector<evaluate::Trial>& for_shape, const Samples& list,
                       const std::string& solver_words);

/// The calibration that can be checked on these samples, if there is one; why not is said in a note.
std::optional<evaluate::Calibration> calibration_for(const run::Folder& run, const solvers::Choice& solver,
                                                     double coverage, const data::Splits& splits,
                                                     const Samples& list);

/// The bars of one command's forecasts.
class ErrorBars {
 public:
  /// An error says what is missing and which command makes it.
  ErrorBars(const run::Folder& run, const solvers::Choice& solver, double coverage);

  /// The promise holds for forecasts like those of the calibration only.
  void warn_of_departures(const rollout::Times& times, std::size_t from_frame) const;

  evaluate::Score score() const { return calibration_.score; }
  /// Of frames with these doubts.
  std::vector<double> of(std::size_t sample, const std::vector<double>& doubts,
                         const std::vector<double>& times);
  /// Of each value of a frame, from its value_scales; infinite: no promise.
  rollout::Physical of_values(const torch::Tensor& scales, double elapsed) const {
    return {scales * calibration_.value_factor(coverage_, elapsed)};
  }

  /// The bars at the last frames: of each sample, or of many together.
  std::string summary() const;

 private:
  struct Last {
    std::size_t sample;
    double time, bar;
  };

  evaluate::Calibration calibration_;
  double coverage_, factor_;
  std::vector<Last> last_;
};

}  // namespace cvf::cli
