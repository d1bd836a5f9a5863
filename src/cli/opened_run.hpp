// What a user names as RUN, opened for a verb: its model in the runtime where that can compute it, else in
// tensors; and what its run was told.
#pragma once

#include <string>
#include <vector>

#include "cli/verbs.hpp"
#include "core/text.hpp"
#include "data/data_options.hpp"
#include "data/splits.hpp"
#include "rollout/model.hpp"
#include "run/solver_of.hpp"
#include "solvers/solver.hpp"

namespace cvf::cli {

/// What a run file says of the data that it learned from.
struct TrainedOn {
  std::string seed;
  data::DataOptions data;
  data::SplitOptions split;
  data::DownsamplingOptions downsampling;
};

struct OpenedRun {
  rollout::ModelPointer model;
  std::string path;                // where the model was found
  std::string checkpoint;          // SHA-256 of its manifest, and so of everything in it
  std::string run_toml;            // the resolved configuration that it was trained with
  std::string objective;           // that it was trained for; empty when unknown
  solvers::Choice solver = "gcs";  // as run::Habits has it
  std::shared_ptr<const solvers::StepErrors> step_errors;  // null: not learned for this checkpoint

  TrainedOn trained_on() const;
};

/// A model's folder, or a run's: its best, else its last model.
OpenedRun open_run(const std::string& path);

/// The same in tensors. The program without LibTorch becomes the one with it instead.
OpenedRun open_on_tensors(const std::string& path);

/// --solver and --set: how a model is stepped, where the user wants it otherwise than its run did.
struct SolverOption {
  std::string name;
  std::vector<std::string> sets;

  void add_to(CLI::App& verb) {
    verb.add_option("--solver", name, "instead of the run's own");
    verb.add_option("--set", sets, "any key of the solver, e.g. --set solver.slack=1")
        ->allow_extra_args(false);
  }

  /// The same once more, for a command that is to follow: " --solver gcs".
  std::string words() const {
    std::string out = name.empty() ? "" : " --solver " + text::shell_quoted(name);
    for (const auto& assignment : sets) out += " --set " + text::shell_quoted(assignment);
    return out;
  }

  /// The run's own solver with its own settings, or the one named with its defaults; then the user's
  /// settings.
  solvers::Choice choose(const OpenedRun& run) const {
    std::vector<std::string> settings = sets;
    if (!name.empty()) settings.insert(settings.begin(), "solver.name=" + name);
    return run::solver_for({run.objective, run.solver}, settings, run.model->facts().state.largest_dt);
  }
};

}  // namespace cvf::cli
