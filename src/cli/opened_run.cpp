#include "cli/opened_run.hpp"

#include "rollout/runtime_model.hpp"
#include "run/run_file.hpp"

namespace cvf::cli {

TrainedOn OpenedRun::trained_on() const {
  const run::RunFile file(run_toml, path);
  TrainedOn out{.seed = file.seed()};
  file.read("data", out.data);
  file.read("split", out.split);
  file.read("downsampling", out.downsampling);
  return out;
}

OpenedRun open_run(const std::string& path) {
  auto model = runtime::Model::load_if_able(path);
  if (!model) return open_on_tensors(path);
  OpenedRun out{.path = model->path(),
                .checkpoint = model->checkpoint(),
                .run_toml = model->run_toml(),
                .objective = model->objective(),
                .solver = model->solver_choice(),
                .step_errors = model->step_errors()};
  out.model = rollout::on_runtime(std::move(*model));
  return out;
}

}  // namespace cvf::cli
