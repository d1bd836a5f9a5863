#include "cli/opened_run.hpp"

#include "rollout/runtime_model.hpp"

namespace cvf::cli {

TrainedOn OpenedRun::trained_on() const {
  TrainedOn out;
  const auto document = config::Document::from_text(run_toml, path + "/run.toml");
  const auto read = [&document](const char* table, auto& options) {
    document.only(table).read([&](config::Section& s) {
      s.table(table, "", [&options](config::Section& t) { options.describe(t); });
    });
  };
  out.seed = document.look_up("seed").value_or("0");
  read("data", out.data);
  read("split", out.split);
  read("downsampling", out.downsampling);
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
