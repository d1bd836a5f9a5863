// What `cvf evaluate` and the end of a training are asked for: which model, or which forecast of another
// program, against which samples of which file.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "cli/opened_run.hpp"
#include "cli/programs.hpp"
#include "data/splits.hpp"
#include "evaluate/record.hpp"
#include "train/options.hpp"

namespace cvf::cli {

struct Evaluate {
  std::string run_path, data_file, forecast, split, samples, protocol = "both", out, score;
  std::vector<std::string> channels;
  SolverOption solver;
  evaluate::Options options;
  double coverage = 0.9;
  std::size_t most_samples = std::numeric_limits<std::size_t>::max();  // of a split
  bool print_json = false, definitions = false, calibrate = false, any_spacing = false, changed_data = false,
       overwrite = false;

  std::vector<std::size_t> wanted(const data::Splits& splits, std::size_t count) const;
  std::string split_name() const { return split.empty() ? (calibrate ? "validation" : "test") : split; }

  // Splits are numbers of samples: in another file they would be other samples.
  void check_unchanged(const rollout::Facts& model, const std::string& file) const;

  std::string forecast_file(const std::string& of_protocol) const { return out + "." + of_protocol + ".h5"; }

  /// Refuses to replace these files, and without `overwrite` any that --out names.
  void check_outputs(const std::vector<std::string>& inputs) const;

  evaluate::Origin origin(const OpenedRun& run, const TrainedOn& trained, const std::string& made,
                          std::size_t count) const;

  void run();

  struct Done {
    evaluate::Evaluation result;
    evaluate::Origin from;
  };

  /// A forecast that another program wrote: no model is asked.
  Done evaluate_given() const;

  /// Writes what it was asked to write.
  Done evaluate();

  void keep_forecasts(const evaluate::Evaluation& result, const data::Source& source,
                      const evaluate::Origin& from) const;

  void write(const evaluate::Evaluation& result, const evaluate::Origin& from) const;
};

/// The first test samples of a finished run, frame by frame: evaluation.json, evaluation.csv and the
/// forecasts of a few in the run's folder, unless they are there for this very model. What stands against it
/// is a warning, for the run itself is complete. Returns what the model lacks: see
/// evaluate::Evaluation::warning.
std::string evaluate_at_the_end(const std::string& run_folder, const train::EvaluationOptions& wanted);

}  // namespace cvf::cli
