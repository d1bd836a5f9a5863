#include "cli/models/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "cli/error_bars.hpp"
#include "cli/models/calibrating.hpp"
#include "cli/programs.hpp"
#include "cli/solver_option.hpp"
#include "cli/verbs.hpp"
#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/hash.hpp"
#include "core/log.hpp"
#include "core/machine.hpp"
#include "core/threads.hpp"
#include "data/ranges.hpp"
#include "evaluate/record.hpp"
#include "rollout/fit.hpp"

namespace cvf::cli {
namespace {

struct Evaluate {
  std::string run_path, data_file, split, samples, protocol = "both", out, score;
  std::vector<std::string> channels;
  SolverOption solver;
  evaluate::Options options;
  double coverage = 0.9;
  std::size_t most_samples = std::numeric_limits<std::size_t>::max();  // of a split
  bool print_json = false, definitions = false, calibrate = false, any_spacing = false, changed_data = false;

  std::vector<std::size_t> wanted(const data::Splits& splits, std::size_t count) const {
    if (!samples.empty()) return data::parse_ranges(samples, count, "--samples");
    if (!data_file.empty()) return data::parse_ranges(fmt::format("0:{}", count), count, "--samples");
    const std::string name = split_name();
    const auto& list = name == "train"        ? splits.train
                       : name == "validation" ? splits.validation
                                              : splits.test;
    if (list.empty() && calibrate)
      throw UsageError(
          "{}: has no validation samples, from which error bars are learned; train with some "
          "(split.validation)",
          run_path);
    if (list.empty()) throw UsageError("--split {}: the run has no such samples; give --samples", name);
    return {list.begin(), list.begin() + static_cast<std::ptrdiff_t>(std::min(list.size(), most_samples))};
  }
  std::string split_name() const { return split.empty() ? (calibrate ? "validation" : "test") : split; }

  // Splits are numbers of samples: in another file they would be other samples.
  void check_unchanged(const rollout::Facts& model, const std::string& file) const {
    const std::string& trained_on = model.state.data_hash;
    if (!data_file.empty() || trained_on.empty() || data::data_hash(file) == trained_on) return;
    if (!changed_data) {
      throw DataError(
          "{}: has changed since the model was trained on it, so its samples may be others; bring the old "
          "file "
          "back, or give --changed-data to evaluate this one, or --data for all of its samples",
          file);
    }
    log::warning("{}: has changed since the model was trained on it", file);
  }

  std::string forecast_file(const std::string& of_protocol) const { return out + "." + of_protocol + ".h5"; }

  void refuse_own_input(const std::string& file) const {
    for (const char* ending : {".json", ".csv", ".time_informed.h5", ".direct.h5"}) {
      if (out.empty() || !files::same_file(out + ending, file)) continue;
      throw UsageError("--out {}: {}{} is the data file; give another name", out, out, ending);
    }
  }

  evaluate::Origin origin(const OpenedRun& run, const TrainedOn& trained, const std::string& made,
                          std::size_t count) const {
    return {{"model", run.path},
            {"checkpoint_sha256", run.checkpoint},
            {"config_sha256", hex(sha256(run.run_toml))},
            {"data", trained.data.file},
            {"training_data_hash", run.model->facts().state.data_hash},
            {"objective", run.objective},
            {"seed", trained.seed},
            {"solver", made},
            {"samples", samples.empty() && data_file.empty() ? split_name() : samples},
            {"every_frame", fmt::format("{}", options.every)},
            {"sample_count", fmt::format("{}", count)},
            {"date", today()},
            {"machine", machine()},
            {"cvf", fmt::format("{} ({})", version, commit)}};
  }

  void run() {
    if (definitions) {
      fmt::print("{}", metrics::definitions());
      return;
    }
    if (run_path.empty()) throw UsageError("RUN is missing: the folder of a run or a model");
    run_path = folder_of_run(run_path);
    const auto done = evaluate();
    if (calibrate) return;
    if (print_json) {
      fmt::print("{}", evaluate::json(done.result, done.from));
      return;
    }
    fmt::print("{}: {} samples of {}\n{}definitions: cvf evaluate --definitions\n", done.from.at("model"),
               done.from.at("sample_count"), done.from.at("data"), evaluate::table(done.result));
  }

  struct Done {
    evaluate::Evaluation result;
    evaluate::Origin from;
  };

  /// Writes what it was asked to write.
  Done evaluate() {
    if (protocol != "both") options.protocols = {protocol};
    if (options.keep > 0 && out.empty())
      throw UsageError("--keep {}: forecasts are written beside the scores; give --out NAME", options.keep);
    tensors::prepare();
    OpenedRun found = open_run(run_path);
    const auto facts = found.model->facts();
    TrainedOn trained = found.trained_on();
    if (!data_file.empty()) trained.data.file = data_file;
    if (options.every == 0) options.every = trained.downsampling.factor;
    if (!channels.empty()) trained.data.channels.clear();
    const auto source = rollout::fitted(data::open_data(trained.data), facts, channels, any_spacing);
    if (!data_file.empty()) say_notes(*source);
    refuse_own_input(trained.data.file);
    if (!calibrate) check_unchanged(facts, trained.data.file);
    const std::size_t count = source->description().samples;
    const auto splits = data_file.empty() ? data::make_splits(trained.split, *source) : data::Splits{};
    const auto list = wanted(splits, count);
    // The samples of another file, or of one that has changed, may be any.
    if (data_file.empty() && !changed_data) options.training = splits.train;
    if (data_file.empty() && trained.downsampling.kind == data::Downsampling::even)
      options.training_every = trained.downsampling.factor;
    rollout::warn_of_extrapolation(*source, facts, list);
    const auto made = solver.choose(found);
    options.copies = static_cast<int>(found.model->members());
    if (calibrate) {
      refuse_unfit(splits, list, found, trained.data.file);
      learn_step_errors(found, *source, list, options, any_spacing);
    }
    const auto stepper = made.build(rollout::context_of(facts, found.step_errors));
    const rollout::Setup setup{
        .model = found.model, .solver = *stepper, .any_spacing = any_spacing, .kept = "nothing was written"};
    if (calibrate) {
      const auto by = score.empty() ? evaluate::usual_score(*found.model) : evaluate::score_called(score);
      evaluate::check_has_score(by, *found.model, made);
      write_calibration(found, made, by, evaluate::trials(setup, *source, list, options, by),
                        evaluate::trials(setup, *source, shape_samples(splits, list), options, by), list,
                        solver.words());
      return {};
    }
    if (options.step_doubling) evaluate::check_has_score(evaluate::Score::step_doubling, *found.model, made);
    const auto calibration = calibration_for(found, made, coverage, splits, list);
    auto result = evaluate::evaluate(setup, *source, list, options);
    if (calibration) {
      result.coverage = evaluate::coverage_of(
          *calibration, coverage, evaluate::trials(setup, *source, list, options, calibration->score));
    }
    const auto from = origin(found, trained, made.to_toml(), list.size());
    keep_forecasts(result, *source, from);
    write(result, from);
    return {std::move(result), from};
  }

  void keep_forecasts(const evaluate::Evaluation& result, const data::Source& source,
                      const evaluate::Origin& from) const {
    for (const auto& part : result.parts) {
      if (part.kept.samples() == 0) continue;
      part.kept.write(forecast_file(part.protocol), source,
                      {{"protocol", part.protocol},
                       {"model", from.at("model")},
                       {"model_data_hash", from.at("training_data_hash")},
                       {"solver", from.at("solver")}});
    }
  }

  void write(const evaluate::Evaluation& result, const evaluate::Origin& from) const {
    if (out.empty()) return;
    files::write_atomically(out + ".csv", evaluate::csv(result));
    files::write_atomically(out + ".json", evaluate::json(result, from));
  }
};

std::string summary(const evaluate::Evaluation& result) {
  const auto& part = result.parts.back();
  std::string out = fmt::format("rollout error {}", part.find("rollout_rmse")->text());
  for (const auto& baseline : part.baselines) {
    for (const auto& score : baseline.scores) {
      if (score.row->name == "rollout_rmse") out += fmt::format(", {} {}", baseline.name, score.text());
    }
  }
  return out;
}

}  // namespace

void evaluate_at_the_end(const std::string& run_folder, const train::EvaluationOptions& wanted) {
  if (wanted.samples == 0) return;
  Evaluate verb;
  verb.run_path = run_folder;
  verb.out = run_folder + "/evaluation";
  verb.most_samples = static_cast<std::size_t>(wanted.samples);
  verb.protocol = "time_informed";
  verb.options.keep = static_cast<std::size_t>(wanted.keep);
  try {
    const std::string json = verb.out + ".json", checkpoint = open_run(run_folder).checkpoint;
    const std::string before = std::filesystem::exists(json) ? files::read_whole(json) : "";
    if (before.find(checkpoint) != std::string::npos) return;
    const auto done = verb.evaluate();
    log::note("{}: {} test samples: {}; next: cvf report {}", json, done.from.at("sample_count"),
              summary(done.result), run_folder);
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& why) {
    log::warning("{}: the run is complete, but its test samples were not evaluated: {}", run_folder,
                 why.what());
  }
}

void add_evaluate(CLI::App& app) {
  CLI::App& verb_app = add_verb(app, evaluate_verb);
  const auto verb = bind<Evaluate>(verb_app);
  verb_app.footer(
      "one_step starts every frame from the true one before it; time_informed goes from frame to frame on "
      "its own\n"
      "predictions; direct reaches each frame from the first one. Divergence is told, never averaged away.\n"
      "Example: cvf evaluate runs/pendulum (every frame), with --every 0 on the training grid only.\n"
      "Next: cvf evaluate runs/pendulum --calibrate, then cvf rollout runs/pendulum --coverage 0.9 --out "
      "forecast.h5; or cvf report runs/pendulum");
  verb_app.add_option("RUN", verb->run_path, "folder of a run (its best model) or of a model");
  verb_app.add_option("--protocol", verb->protocol, "time_informed, direct or both")
      ->check(CLI::IsMember({"time_informed", "direct", "both"}))
      ->capture_default_str();
  verb_app.add_option("--split", verb->split, "which samples of the run's own file")
      ->check(CLI::IsMember({"train", "validation", "test"}))
      ->default_str("test");
  verb_app.add_option("--data", verb->data_file, "another file, all of its samples");
  verb_app.add_flag("--allow-spacing", verb->any_spacing,
                    "take a file whose grid has another spacing than the model was trained on");
  verb_app
      .add_option(
          "--channels", verb->channels,
          "the file's names for the model's channels, in the model's order, comma separated, where they "
          "differ")
      ->delimiter(',');
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
  verb_app.add_option(
      "--keep", verb->options.keep,
      "write the forecasts of the first so many samples, too: NAME.PROTOCOL.h5, for cvf report");
  verb_app.add_flag("--json", verb->print_json, "print JSON instead of the table");
  verb_app.add_flag("--definitions", verb->definitions, "what each number means");
}

}  // namespace cvf::cli
