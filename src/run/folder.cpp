#include "run/folder.hpp"

namespace cvf::run {

Folder open(const std::string& path) {
  Folder out;
  out.path = model_folder(path);
  out.model = model::load(out.path);
  out.checkpoint = checkpoint_of(out.path);
  auto habits = habits_of(out.model.spec.provenance, out.model.run_toml, out.path);
  out.objective = std::move(habits.objective);
  out.solver = std::move(habits.solver);
  return out;
}

solvers::Choice solver_for(const Folder& run, const std::vector<std::string>& settings) {
  return solver_for(run.solver, settings);
}

}  // namespace cvf::run
