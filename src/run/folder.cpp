#include "run/folder.hpp"

#include <filesystem>

#include "core/config.hpp"
#include "core/hash.hpp"
#include "core/registry.hpp"
#include "objectives/objective.hpp"
#include "run/step_errors.hpp"

namespace cvf::run {
namespace {

std::string model_folder(const std::string& path) {
  namespace fs = std::filesystem;
  for (const auto* name : {"best", "last"}) {
    const fs::path inside = fs::path(path) / name;
    if (!fs::exists(fs::path(path) / "model.toml") && fs::exists(inside / "model.toml"))
      return inside.string();
  }
  return path;
}

// First what the model says of itself, then its run file.
std::string objective_of(const model::TrainedModel& model, const config::Document& run_file) {
  const auto found = model.spec.provenance.find("objective");
  if (found != model.spec.provenance.end()) return found->second;
  return run_file.look_up("objective.name").value_or("");
}

void read_solver(const config::Document& document, solvers::Choice& solver) {
  document.read([&solver](config::Section& s) {
    s.table("solver", "how the state is stepped", [&solver](config::Section& t) { solver.describe(t); });
  });
}

}  // namespace

Folder open(const std::string& path) {
  Folder out;
  out.path = model_folder(path);
  out.model = model::load(out.path);
  out.checkpoint = hex(
      sha256_of_file(fmt::format("{}/{}", model::folder::present(out.path), model::folder::manifest_name)));
  out.step_errors = load_step_errors(out.path, out.checkpoint);
  const auto run_file = config::Document::from_text(out.model.run_toml, out.path + "/run.toml");
  out.objective = objective_of(out.model, run_file);
  if (!out.objective.empty())
    out.solver = find(objectives::registry(), out.objective, "objective").default_solver;
  read_solver(run_file.only("solver"), out.solver);
  return out;
}

solvers::Choice solver_for(const Folder& run, const std::vector<std::string>& settings) {
  config::Document document;
  for (const auto& assignment : settings) document.set(assignment);
  const auto named = document.look_up("solver.name");
  solvers::Choice out = named ? solvers::Choice(*named) : run.solver;
  read_solver(document, out);
  return out;
}

}  // namespace cvf::run
