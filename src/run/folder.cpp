#include "run/folder.hpp"

#include "run/step_errors.hpp"

namespace cvf::run {

Folder open(const std::string& path) {
  Folder out;
  out.path = model_folder(path);
  out.model = model::load(out.path);
  out.checkpoint = checkpoint_of(out.path);
  out.step_errors = load_step_errors(out.path, out.checkpoint);
  auto habits = habits_of(out.model.spec.provenance, out.model.run_toml, out.path);
  out.objective = std::move(habits.objective);
  out.solver = std::move(habits.solver);
  return out;
}

solvers::Choice solver_for(const Folder& run, const std::vector<std::string>& settings) {
  return solver_for({run.objective, run.solver}, settings, run.model.spec.state.largest_dt);
}

}  // namespace cvf::run
