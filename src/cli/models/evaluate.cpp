#include <fmt/format.h>

#include <filesystem>

#include "cli/models/run_folder.hpp"
#include "cli/verbs.hpp"
#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/hash.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "core/torch/prepare.hpp"
#include "core/version.hpp"
#include "data/ranges.hpp"
#include "evaluate/record.hpp"
#include "solvers/choice.hpp"
#include "train/materials.hpp"

namespace cvf::cli {
namespace {

struct Evaluate {
  std::string run_path, data_file, split = "test", samples, solver, protocol = "both", out;
  std::vector<std::string> sets;
  evaluate::Options options;
  bool print_json = false, definitions = false;

  solvers::Choice choice(const RunFolder& run, const train::RunOptions& trained) const {
    solvers::Choice made;
    made.name = run.solver;
    if (solver.empty() && trained.solver == run.solver) made.settings = trained.solver_settings;
    config::Document document;
    if (!solver.empty()) document.set("solver.name=" + solver);
    for (const auto& assignment : sets) document.set(assignment);
    document.read([&](config::Section& s) {
      s.table("solver", "how the state is stepped", [&](config::Section& t) { made.describe(t); });
    });
    return made;
  }

  std::vector<std::size_t> wanted(const train::RunOptions& trained, std::size_t count) const {
    if (!samples.empty()) return data::parse_ranges(samples, count, "--samples");
    if (!data_file.empty()) return data::parse_ranges(fmt::format("0:{}", count), count, "--samples");
    const auto splits = data::make_splits(trained.split, count);
    const auto& list =
        split == "train" ? splits.train : (split == "validation" ? splits.validation : splits.test);
    if (list.empty()) throw UsageError("--split {}: the run has no such samples; give --samples", split);
    return list;
  }

  evaluate::Origin origin(const RunFolder& run, const train::RunOptions& trained, solvers::Choice made,
                          const std::string& file, std::size_t count) const {
    const auto& facts = run.model.recipe.state;
    return {{"model", run.folder},
            {"checkpoint_sha256", hex(sha256_of_file(run.folder + "/SHA256SUMS"))},
            {"config_sha256", hex(sha256(run.model.run_toml))},
            {"data", file},
            {"training_data_hash", facts.data_hash},
            {"objective", run.objective},
            {"seed", fmt::format("{}", trained.seed)},
            {"solver", config::write([&](config::Section& s) { made.describe(s); })},
            {"samples", samples.empty() && data_file.empty() ? split : samples},
            {"every_frame", fmt::format("{}", options.every)},
            {"sample_count", fmt::format("{}", count)},
            {"cvf", fmt::format("{} ({})", version, commit)}};
  }

  void run() {
    if (definitions) {
      fmt::print("{}", metrics::definitions());
      return;
    }
    if (run_path.empty()) throw UsageError("RUN is missing: the folder of a run or a model");
    if (protocol != "both") options.protocols = {protocol};
    tensors::prepare();
    const RunFolder found = open_run(run_path);
    auto trained = train::RunOptions::read(
        config::Document::from_text(found.model.run_toml, found.folder + "/run.toml"));
    if (!data_file.empty()) trained.data.file = data_file;
    if (options.every == 0) options.every = trained.downsampling.factor;
    const auto source = train::open_data(trained.data);
    check_fits(*source, found.model);
    const auto list = wanted(trained, source->description().samples);
    const auto made = choice(found, trained);
    const auto stepper = made.build(rollout::context_of(found.model));
    const auto result = evaluate::evaluate(
        {.model = found.model, .solver = *stepper, .conditioned = found.conditioned}, *source, list, options);
    write(result, origin(found, trained, made, trained.data.file, list.size()));
  }

  void write(const evaluate::Evaluation& result, const evaluate::Origin& from) const {
    const std::string json = evaluate::json(result, from);
    if (!out.empty()) {
      files::write_atomically(out + ".json", json);
      files::write_atomically(out + ".csv", evaluate::csv(result));
    }
    if (print_json) {
      fmt::print("{}", json);
      return;
    }
    fmt::print("{}: {} samples of {}\n{}definitions: cvf evaluate --definitions\n", from.at("model"),
               from.at("sample_count"), from.at("data"), evaluate::table(result));
  }
};

}  // namespace

void add_evaluate(CLI::App& app) {
  CLI::App& verb_app =
      *app.add_subcommand("evaluate", "compare a trained model with the truth of its test samples");
  const auto verb = bind<Evaluate>(verb_app);
  verb_app.footer(
      "one_step starts every frame from the true one before it; time_informed goes from frame to frame on "
      "its own\n"
      "predictions; direct reaches each frame from the first one. Divergence is told, never averaged away.");
  verb_app.add_option("RUN", verb->run_path, "folder of a run (its best model) or of a model");
  verb_app.add_option("--protocol", verb->protocol, "time_informed, direct or both")
      ->check(CLI::IsMember({"time_informed", "direct", "both"}))
      ->capture_default_str();
  verb_app.add_option("--split", verb->split, "which samples of the run's own file")
      ->check(CLI::IsMember({"train", "validation", "test"}))
      ->capture_default_str();
  verb_app.add_option("--data", verb->data_file, "another file, all of its samples");
  verb_app.add_option("--samples", verb->samples, "which samples, e.g. 0:8, instead of a split");
  verb_app.add_option("--frames", verb->options.frames, "predicted frames; 0 = to the end")
      ->capture_default_str();
  verb_app
      .add_option("--every", verb->options.every,
                  "look at every so many frames only; 0: at those of the training grid")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb_app.add_option("--together", verb->options.together, "samples in a group: memory against speed")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb_app.add_option("--solver", verb->solver, "instead of the run's own");
  verb_app.add_option("--set", verb->sets, "any key of the solver, e.g. --set solver.slack=1")
      ->allow_extra_args(false);
  verb_app.add_option("--out", verb->out, "write NAME.json and NAME.csv");
  verb_app.add_flag("--json", verb->print_json, "print JSON instead of the table");
  verb_app.add_flag("--definitions", verb->definitions, "what each number means");
}

}  // namespace cvf::cli
