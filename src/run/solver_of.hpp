// Where the model of a run is, and the solver that steps it: words and settings, before anything is built.
#pragma once

#include <string>
#include <vector>

#include "model/spec_of.hpp"
#include "solvers/solver.hpp"

namespace cvf::run {

/// `path` itself when it holds a model, else its subfolder best, else last.
std::string model_folder(const std::string& path);

/// What a model was trained for, and the solver of its run file with its settings there. A file that names
/// none was written when gcs was the default of cvf, and keeps it.
struct Habits {
  std::string objective;  // empty when unknown
  solvers::Choice solver = "gcs";
};
Habits habits_of(const model::Provenance& provenance, const std::string& run_toml, const std::string& folder);

/// SHA-256 of the manifest of a model's folder, and so of everything in it.
std::string checkpoint_of(const std::string& folder);

/// `own`, or the solver that `settings` name ({"solver.name=euler"}) with its defaults; then the other
/// settings ({"solver.slack=1"}).
solvers::Choice solver_for(const solvers::Choice& own, const std::vector<std::string>& settings);

/// The run's own solver in that way; the one of its objective that searches (gcs) where the settings ask for
/// that (solvers/wanted.hpp). `longest_step`: of training.
solvers::Choice solver_for(const Habits& own, const std::vector<std::string>& settings, double longest_step);

}  // namespace cvf::run
