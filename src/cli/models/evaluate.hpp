// An evaluation that other verbs ask for.
#pragma once

#include <string>

#include "train/options.hpp"

namespace cvf::cli {

/// The first test samples of a finished run, frame by frame: evaluation.json, evaluation.csv and the
/// forecasts of a few in the run's folder, unless they are there for this very model. What stands against it
/// is a warning, for the run itself is complete.
void evaluate_at_the_end(const std::string& run_folder, const train::EvaluationOptions& wanted);

}  // namespace cvf::cli
