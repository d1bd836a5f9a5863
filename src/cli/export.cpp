#include <filesystem>

#include "cli/verbs.hpp"
#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/log.hpp"
#include "core/output_file.hpp"
#include "core/text.hpp"
#include "onnx/model.hpp"

namespace cvf::cli {
namespace {

struct Export {
  std::string folder, out;
  bool overwrite = false;

  void run() {
    if (std::filesystem::path(out).extension() != ".onnx")  // a slip must not replace a data file, say
      throw UsageError("{}: an exported model is an ONNX file; call it {}.onnx", out, out);
    folder = folder_of_run(folder);
    files::check_output({.path = out, .inputs = files::files_below(folder), .overwrite = overwrite});
    const std::string bytes = onnx::model_of(folder);
    files::write_atomically(out, bytes);
    log::note("{}: {}; state, dt and the context in, velocity and next out, in physical units", out,
              text::bytes(bytes.size()));
  }
};

}  // namespace

void add_export(CLI::App& app) {
  CLI::App& verb_app = *app.add_subcommand("export", "a trained model as an ONNX file for other runtimes");
  const auto verb = bind<Export>(verb_app);
  verb_app.footer(
      "Example: cvf export pendulum pendulum.onnx\n"
      "One step of the model, state + dt * velocity(state, dt), in physical units and float32, for ONNX "
      "Runtime\n"
      "and whatever else reads ONNX (docs/onnx.md). Solvers and error bars stay with cvf and libcvf.");
  verb_app.add_option("RUN", verb->folder, "folder of a run or of a model")->required();
  verb_app.add_option("FILE", verb->out, "ONNX file to write")->required();
  verb_app.add_flag("--overwrite", verb->overwrite, "replace an existing file");
}

}  // namespace cvf::cli
