// FOLDER.step-errors.toml, beside a model: how large the error of a step is, for solvers that take a
// tolerance.
#pragma once

#include <memory>
#include <string>

#include "solvers/step_errors.hpp"

namespace cvf::run {

std::string step_errors_file(const std::string& model_folder);

/// What it was learned from: a checkpoint of the model, and samples (in words) of a data file.
struct LearnedFrom {
  std::string checkpoint, data_hash, samples;
};
void save_step_errors(const std::string& model_folder, const solvers::StepErrors& errors,
                      const LearnedFrom& from);

/// Null where there is none, or it was made for another checkpoint of this model. A ModelError for a damaged
/// one.
std::shared_ptr<const solvers::StepErrors> load_step_errors(const std::string& model_folder,
                                                            const std::string& checkpoint);

}  // namespace cvf::run
