#include <fmt/format.h>

#include <filesystem>

#include "cli/programs.hpp"
#include "cli/verbs.hpp"
#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/output_file.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"
#include "train/first_run.hpp"

namespace cvf::cli {
namespace {

namespace fs = std::filesystem;

struct Init {
  InputFile input;
  std::string out;
  bool overwrite = false;

  void run() const {
    const std::string file = out.empty() ? fs::path(input.path).stem().string() + ".toml" : out;
    files::check_output({.path = file, .inputs = {input.path}, .overwrite = overwrite});
    train::DataOptions data;
    data.file = input.path;
    data.open = input.options;
    tensors::prepare();  // training steps are timed as training takes them
    const std::string text = train::first_run(data, fs::path(file).stem().string());
    files::write_atomically(file, text);
    fmt::print("{}\n{}: change what you know better, then: cvf train {} && cvf report {}\n", text, file,
               text::shell_quoted(file), text::shell_quoted(fs::path(file).stem().string()));
  }
};

}  // namespace

void add_init(CLI::App& app) {
  CLI::App& verb_app = add_verb(app, init_verb);
  const auto verb = bind<Init>(verb_app);
  verb_app.footer(
      "Example: cvf init mine.h5 && cvf train mine.toml && cvf report mine\n"
      "A plain array needs to be told what its axes mean, in their order:\n"
      "         cvf init mine.h5 --dataset results/u --axes n,t,y,x --dt 0.05\n"
      "These words go into the run file; no later command needs them.\n"
      "Is the file fit to learn from? cvf data audit");
  verb->input.add_to(verb_app);
  verb_app.add_option("--out", verb->out, "run file to write (FILE's name with .toml, in this folder)");
  verb_app.add_flag("--overwrite", verb->overwrite, "replace an existing run file");
}

}  // namespace cvf::cli
