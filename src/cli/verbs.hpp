// The verbs of the program, one file each. A verb adds itself to its parent and runs from CLI11's callback.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "data/source.hpp"

namespace cvf::cli {

void add_generate(CLI::App& data);
void add_inspect(CLI::App& data);
void add_audit(CLI::App& data);
void add_convert(CLI::App& data);
void add_picture(CLI::App& data);
void add_explain(CLI::App& app);
void add_init(CLI::App& app);
void add_train(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_bench(CLI::App& app);
void add_rollout(CLI::App& app);
void add_study(CLI::App& app);
void add_demo(CLI::App& app);
void add_report(CLI::App& app);
void add_export(CLI::App& app);
void add_completion(CLI::App& app);

/// "cvf has no verb 'trian' (did you mean 'train'?)"; empty when all verbs on the command line are known.
std::string unknown_verb(const CLI::App& app, int argc, char** argv);

/// Makes every option that takes a number, here and in the verbs below, refuse what its type cannot hold, nan
/// and inf.
void check_numbers(CLI::App& app);

/// "mine" for runs/mine, where cvf train puts the run of mine.toml; a path that exists stays as it is.
std::string folder_of_run(const std::string& name);

/// What was noticed in a file, told on the terminal.
void say_notes(const data::Source& source);

/// A verb that reads a data file: the FILE itself and what the user says about a plain array.
struct InputFile {
  std::string path;
  data::OpenOptions options;

  void add_to(CLI::App& verb);
  std::unique_ptr<data::Source> open() const { return data::open(path, options); }
};

/// A check for an option; what is not finite is left to `check_numbers`.
std::string refuse_not_positive(const std::string& word);

/// --dt of a verb that reads a data file.
void add_dt(CLI::App& verb, data::OpenOptions& options);

/// --channels of a verb that gives a data file to a model.
void add_channels(CLI::App& verb, std::vector<std::string>& channels);

/// A verb with its options, kept alive by its callback: `Verb` has a `void run()`.
template <class Verb>
std::shared_ptr<Verb> bind(CLI::App& app) {
  auto verb = std::make_shared<Verb>();
  app.callback([verb] { verb->run(); });
  return verb;
}

}  // namespace cvf::cli
