#include "cli/opened_run.hpp"
#include "core/threads.hpp"
#include "rollout/tensors/model.hpp"
#include "run/folder.hpp"

namespace cvf::cli {

OpenedRun open_on_tensors(const std::string& path) {
  tensors::prepare();
  struct Kept {
    run::Folder folder;
    rollout::ModelPointer model;
  };
  const auto kept = std::make_shared<Kept>(Kept{run::open(path), nullptr});
  kept->model = rollout::on_tensors(kept->folder.model);
  const run::Folder& found = kept->folder;
  return {.model = rollout::ModelPointer(kept, kept->model.get()),
          .path = found.path,
          .checkpoint = found.checkpoint,
          .run_toml = found.model.run_toml,
          .objective = found.objective,
          .solver = found.solver,
          .step_errors = found.step_errors};
}

}  // namespace cvf::cli
