#include "embed/run_folder.hpp"

#include <filesystem>

#include "core/config.hpp"
#include "core/hash.hpp"
#include "core/registry.hpp"
#include "objectives/objective.hpp"

namespace cvf::embed {
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

// First what the model says of itself, then the configuration of its run.
std::string known(const model::TrainedModel& model, const std::string& key) {
  const auto found = model.spec.provenance.find(key);
  if (found != model.spec.provenance.end()) return found->second;
  const std::string path = key == "objective" ? "objective.name" : "objective." + key;
  return config::Document::from_text(model.run_toml, "run.toml").look_up(path).value_or("");
}

}  // namespace

RunFolder open_run(const std::string& path) {
  RunFolder out;
  out.folder = model_folder(path);
  out.model = model::load(out.folder);
  out.checkpoint = hex(
      sha256_of_file(fmt::format("{}/{}", model::folder::present(out.folder), model::folder::manifest_name)));
  out.objective = known(out.model, "objective");
  out.solver = "gcs";
  if (out.objective.empty()) return out;
  const auto& row = find(objectives::registry(), out.objective, "objective");
  out.solver = row.default_solver;
  const std::string conditioned = known(out.model, "conditioned");
  out.conditioned = conditioned.empty() ? row.conditioned : conditioned == "true";
  return out;
}

}  // namespace cvf::embed
