// --solver and --set: how a model is stepped, where the user wants it otherwise than its run did.
#pragma once

#include <string>
#include <vector>

#include "cli/models/run_folder.hpp"
#include "cli/verbs.hpp"
#include "solvers/solver.hpp"

namespace cvf::cli {

struct SolverOption {
  std::string name;
  std::vector<std::string> sets;

  void add_to(CLI::App& verb);

  /// The run's own solver with its own settings, or the one named with its defaults; then the user's
  /// settings.
  solvers::Choice choose(const RunFolder& run) const;
};

}  // namespace cvf::cli
