#include "cli/models/solver_option.hpp"

#include "train/options.hpp"

namespace cvf::cli {

void SolverOption::add_to(CLI::App& verb) {
  verb.add_option("--solver", name, "instead of the run's own");
  verb.add_option("--set", sets, "any key of the solver, e.g. --set solver.slack=1")->allow_extra_args(false);
}

solvers::Choice SolverOption::choose(const RunFolder& run) const {
  solvers::Choice made(run.solver);
  const auto trained =
      train::RunOptions::read(config::Document::from_text(run.model.run_toml, run.folder + "/run.toml"));
  if (name.empty()) made = trained.solver;
  config::Document document;
  if (!name.empty()) document.set("solver.name=" + name);
  for (const auto& assignment : sets) document.set(assignment);
  document.read([&](config::Section& s) {
    s.table("solver", "how the state is stepped", [&](config::Section& t) { made.describe(t); });
  });
  return made;
}

}  // namespace cvf::cli
