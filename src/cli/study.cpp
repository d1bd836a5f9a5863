#include "study/study.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/verbs.hpp"
#include "core/files.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "metrics/definitions.hpp"

namespace cvf::cli {
namespace {

namespace fs = std::filesystem;

struct StudyVerb {
  study::Run wanted;

  void run() {
    if (wanted.out.empty()) {
      wanted.out = "out/studies/" + fs::path(wanted.file).stem().string();
      if (!wanted.preset.empty()) wanted.out += "-" + wanted.preset;
    }
    wanted.definitions = metrics::definitions();
    const auto outcome = study::run(wanted);
    for (const auto& item : fs::directory_iterator(wanted.out + "/tables")) {
      if (item.path().extension() == ".md") fmt::print("{}\n", files::read_whole(item.path().string()));
    }
    log::note("{}: {} cells, {} of them run now, {} failed, {} missing; cvf report {} shows them", wanted.out,
              outcome.cells, outcome.ran, outcome.failed, outcome.missing, text::shell_quoted(wanted.out));
  }
};

}  // namespace

void add_study(CLI::App& app) {
  CLI::App& verb_app = *app.add_subcommand(
      "study", "train and evaluate a grid of data sets, methods and seeds, and write its tables");
  const auto verb = bind<StudyVerb>(verb_app);
  verb_app.footer(
      "Example: cvf study studies/learning.toml\n"
      "Stopped or killed, the same command goes on; a cell that failed is a result (--retry runs it again).\n"
      "The keys of a study file: cvf explain study. Studies of the paper's tables and ablations: studies/.\n"
      "Next: cvf report out/studies/learning; the tables are in its folder tables/. How to write one: "
      "docs/studies.md");
  auto& w = verb->wanted;
  verb_app.add_option("STUDY", w.file, "TOML file of the study")->required();
  verb_app.add_option("--preset", w.preset, "scale of the study; the first one of the file when left out");
  verb_app.add_option("--out", w.out, "folder of results, tables and runs (out/studies/NAME)");
  verb_app
      .add_option("--jobs", w.jobs,
                  "cells at a time, each with its share of the threads (one for each thread)")
      ->check(CLI::PositiveNumber);
  verb_app.add_option("--set", w.set, "any key of the study file, e.g. --set seeds=[0]")
      ->allow_extra_args(false);
  verb_app.add_flag("--retry", w.retry, "run failed cells again");
  verb_app.add_flag("--tables-only", w.tables_only, "run nothing, write the tables of what is there");
}

}  // namespace cvf::cli
