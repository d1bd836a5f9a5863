// --solver and --set: how a model is stepped, where the user wants it otherwise than its run did.
#pragma once

#include <string>
#include <vector>

#include "cli/opened_run.hpp"
#include "cli/verbs.hpp"
#include "run/solver_of.hpp"

namespace cvf::cli {

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
    std::string out = name.empty() ? "" : " --solver " + name;
    for (const auto& assignment : sets) out += " --set " + assignment;
    return out;
  }

  /// The run's own solver with its own settings, or the one named with its defaults; then the user's
  /// settings.
  solvers::Choice choose(const OpenedRun& run) const {
    std::vector<std::string> settings = sets;
    if (!name.empty()) settings.insert(settings.begin(), "solver.name=" + name);
    return run::solver_for(run.solver, settings);
  }
};

}  // namespace cvf::cli
