#include <fmt/format.h>

#include <filesystem>

#include "cli/error_bars.hpp"
#include "cli/models/evaluation.hpp"
#include "cli/verbs.hpp"
#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/log.hpp"
#include "core/text.hpp"

namespace cvf::cli {
namespace {

std::string summary(const evaluate::Evaluation& result) {
  const auto& part = result.parts.back();
  std::string baselines;
  for (const auto& baseline : part.baselines) {
    for (const auto& score : baseline.scores) {
      if (score.row->name == "normalized_rmse")
        baselines += fmt::format("{}{} {}", baselines.empty() ? "" : ", ", baseline.name, score.text());
    }
  }
  return fmt::format("normalized error {} ({}), rollout error {}", part.find("normalized_rmse")->text(),
                     baselines, part.find("rollout_rmse")->text());
}

}  // namespace

std::string evaluate_at_the_end(const std::string& run_folder, const train::EvaluationOptions& wanted) {
  if (wanted.samples == 0) return "";
  Evaluate verb;
  verb.run_path = run_folder;
  verb.out = run_folder + "/evaluation";
  verb.most_samples = static_cast<std::size_t>(wanted.samples);
  verb.protocol = "time_informed";
  verb.options.keep = static_cast<std::size_t>(wanted.keep);
  verb.overwrite = true;  // what an earlier run evaluated here
  try {
    const std::string json = verb.out + ".json", checkpoint = open_run(run_folder).checkpoint;
    const std::string before = std::filesystem::exists(json) ? files::read_whole(json) : "";
    if (before.find(checkpoint) != std::string::npos) return "";
    const auto done = verb.evaluate();
    log::note("{}: {} test samples: {}; next: cvf report {}", json, done.from.at("sample_count"),
              summary(done.result), text::shell_quoted(run_folder));
    return done.result.warning;
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& why) {
    log::warning("{}: the run is complete, but its test samples were not evaluated: {}", run_folder,
                 why.what());
    return "";
  }
}

void add_evaluate(CLI::App& app) {
  CLI::App& verb_app = add_verb(app, evaluate_verb);
  const auto verb = bind<Evaluate>(verb_app);
  verb_app.footer(
      "one_step starts every frame from the true one before it; time_informed goes from frame to frame on "
      "its own\n"
      "predictions; direct reaches each frame from the first one in a solve of its own; forecast goes "
      "through all\n"
      "frames in one solve, as cvf rollout does. Divergence is told, never averaged away.\n"
      "Example: cvf evaluate runs/pendulum (every frame), with --every 0 on the training grid only.\n"
      "Next: cvf evaluate runs/pendulum --calibrate, then cvf rollout runs/pendulum --coverage 0.9 --out "
      "forecast.h5; or cvf report runs/pendulum");
  verb_app.add_option("RUN", verb->run_path, "folder of a run (its best model) or of a model");
  verb_app.add_option("--protocol", verb->protocol, "time_informed, direct, both of these, or forecast")
      ->check(CLI::IsMember({"time_informed", "direct", "both", "forecast"}))
      ->capture_default_str();
  verb_app.add_option("--split", verb->split, "which samples of the run's own file")
      ->check(CLI::IsMember({"train", "validation", "test"}))
      ->default_str("test");
  verb_app.add_option("--data", verb->data_file, "another file, all of its samples");
  verb_app
      .add_option(
          "--forecast", verb->forecast,
          "instead: score this forecast, a data file of any layout that any program wrote, against the truth "
          "in --data or in the file of RUN, at the times that both have")
      ->excludes("--protocol");
  verb_app.add_flag("--allow-spacing", verb->any_spacing,
                    "take a file whose grid has another spacing than the model was trained on");
  add_channels(verb_app, verb->channels);
  verb_app.add_flag("--changed-data", verb->changed_data,
                    "evaluate although the run's data file has changed since it was trained");
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
  verb->solver.add_to(verb_app);
  verb_app
      .add_flag("--calibrate", verb->calibrate,
                "instead: learn from the run's validation samples how large errors are beside the model's "
                "own doubt, and write it beside the model, for error bars (cvf rollout --coverage)")
      ->excludes("--data");
  verb_app
      .add_option(
          "--score", verb->score,
          "what the error bars of --calibrate go by: rupture (the sum of NRE * step), step_doubling or "
          "spread (of members); without it spread where the model has several members, else rupture")
      ->check(CLI::IsMember({"rupture", "step_doubling", "spread"}))
      ->needs("--calibrate");
  verb_app.add_flag("--step-doubling", verb->options.step_doubling,
                    "goes every way once more in half steps; the difference is another signal of trust");
  verb_app
      .add_option("--coverage", verb->coverage, "of the error bars to check, where there is a calibration")
      ->check(between_0_and_1())
      ->capture_default_str();
  verb_app.add_option("--out", verb->out, "write NAME.json and NAME.csv");
  verb_app.add_flag("--overwrite", verb->overwrite, "replace existing files that --out names");
  verb_app.add_option(
      "--keep", verb->options.keep,
      "write the forecasts of the first so many samples, too: NAME.PROTOCOL.h5, for cvf report");
  verb_app.add_flag("--json", verb->print_json, "print JSON instead of the table")->excludes("--calibrate");
  verb_app.add_flag("--definitions", verb->definitions, "what each number means");
}

}  // namespace cvf::cli
