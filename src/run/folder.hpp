// What a user names as RUN: a model's folder, or a run's folder that holds one; and the solver that its run
// file names.
#pragma once

#include <string>
#include <vector>

#include "model/trained_model.hpp"
#include "run/solver_of.hpp"

namespace cvf::run {

struct Folder {
  model::TrainedModel model;
  std::string path;                // where the model was found
  std::string checkpoint;          // SHA-256 of its manifest, and so of everything in it
  std::string objective;           // that it was trained for; empty when unknown
  solvers::Choice solver = "gcs";  // as Habits has it
  std::shared_ptr<const solvers::StepErrors> step_errors;  // null: not learned for this checkpoint
};

/// `path` itself when it holds a model, else its subfolder best, else last.
Folder open(const std::string& path);

/// As run/solver_of.hpp has it.
solvers::Choice solver_for(const Folder& run, const std::vector<std::string>& settings);

}  // namespace cvf::run
