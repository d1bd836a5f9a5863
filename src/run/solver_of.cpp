#include "run/solver_of.hpp"

#include <filesystem>

#include "core/config.hpp"
#include "core/hash.hpp"
#include "core/registry.hpp"
#include "model/folder.hpp"
#include "objectives/default_solver.hpp"
#include "run/run_file.hpp"
#include "solvers/wanted.hpp"

namespace cvf::run {
namespace {

// First what the model says of itself, then its run file.
std::string objective_of(const model::Provenance& provenance, const RunFile& run_file) {
  const auto found = provenance.find("objective");
  if (found != provenance.end()) return found->second;
  return run_file.objective();
}

void read_solver(const config::Document& document, solvers::Choice& solver) {
  document.read([&solver](config::Section& s) {
    s.table("solver", "how the state is stepped", [&solver](config::Section& t) { solver.describe(t); });
  });
}

}  // namespace

std::string model_folder(const std::string& path) {
  namespace fs = std::filesystem;
  for (const auto* name : {"best", "last"}) {
    const fs::path inside = fs::path(path) / name;
    if (!fs::exists(fs::path(path) / "model.toml") && fs::exists(inside / "model.toml"))
      return inside.string();
  }
  return path;
}

Habits habits_of(const model::Provenance& provenance, const std::string& run_toml,
                 const std::string& folder) {
  const RunFile run_file(run_toml, folder);
  Habits out{.objective = objective_of(provenance, run_file)};
  if (!out.objective.empty()) out.solver = objectives::searching_solver(out.objective);
  run_file.read("solver", out.solver);
  return out;
}

std::string checkpoint_of(const std::string& folder) {
  return hex(
      sha256_of_file(fmt::format("{}/{}", model::folder::present(folder), model::folder::manifest_name)));
}

solvers::Choice solver_for(const solvers::Choice& own, const std::vector<std::string>& settings) {
  config::Document document;
  for (const auto& assignment : settings) document.set(assignment);
  const auto named = document.look_up("solver.name");
  solvers::Choice out = named ? solvers::Choice(*named) : own;
  read_solver(document, out);
  return out;
}

solvers::Choice solver_for(const Habits& own, const std::vector<std::string>& settings, double longest_step) {
  if (own.objective.empty()) return solver_for(own.solver, settings);
  const auto usual = objectives::default_solver(own.objective);
  const auto searching = objectives::searching_solver(own.objective);
  config::Document document;
  for (const auto& assignment : settings) document.set(assignment);
  const bool other =
      own.solver.name == usual && solvers::want_search(document, usual, searching, longest_step);
  return solver_for(other ? solvers::Choice(searching) : own.solver, settings);
}

}  // namespace cvf::run
