#include "cli/models/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/error_bars.hpp"
#include "cli/models/calibrating.hpp"
#include "cli/models/skill.hpp"
#include "cli/verbs.hpp"
#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/hash.hpp"
#include "core/log.hpp"
#include "core/machine.hpp"
#include "core/output_file.hpp"
#include "core/threads.hpp"
#include "data/splits.hpp"
#include "evaluate/evaluate.hpp"
#include "model/folder.hpp"
#include "rollout/fit.hpp"

namespace cvf::cli {

std::vector<std::size_t> Evaluate::wanted(const data::Splits& splits, std::size_t count) const {
  if (!samples.empty()) return data::parse_ranges(samples, count, "--samples");
  if (!data_file.empty()) return data::parse_ranges(fmt::format("0:{}", count), count, "--samples");
  const std::string name = split_name();
  const auto& list = name == "train" ? splits.train : name == "validation" ? splits.validation : splits.test;
  if (list.empty() && calibrate)
    throw UsageError(
        "{}: has no validation samples, from which error bars are learned; train with some "
        "(split.validation)",
        run_path);
  if (list.empty()) throw UsageError("--split {}: the run has no such samples; give --samples", name);
  return {list.begin(), list.begin() + static_cast<std::ptrdiff_t>(std::min(list.size(), most_samples))};
}

void Evaluate::check_unchanged(const rollout::Facts& model, const std::string& file) const {
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

void Evaluate::check_outputs(const std::vector<std::string>& inputs) const {
  if (out.empty() || calibrate) return;
  for (const char* ending : {".json", ".csv"})
    files::check_output({.path = out + ending, .inputs = inputs, .overwrite = overwrite});
  if (options.keep == 0 || !forecast.empty()) return;
  for (const auto& each : options.protocols) {
    files::check_output({.path = forecast_file(each),
                         .inputs = inputs,
                         .overwrite = overwrite,
                         .endings = files::unfinished_endings});
  }
}

evaluate::Origin Evaluate::origin(const OpenedRun& run, const TrainedOn& trained, const std::string& made,
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

void Evaluate::run() {
  if (definitions) {
    fmt::print("{}", metrics::definitions());
    return;
  }
  if (run_path.empty() && forecast.empty())
    throw UsageError("RUN is missing: the folder of a run or a model");
  if (!run_path.empty()) run_path = folder_of_run(run_path);
  const auto done = forecast.empty() ? evaluate() : evaluate_given();
  if (calibrate) return;
  if (print_json) {
    if (!done.result.warning.empty()) log::warning("{}", done.result.warning);
    fmt::print("{}", evaluate::json(done.result, done.from));
    return;
  }
  if (!done.result.warning.empty()) fmt::print("WARNING: {}\n", done.result.warning);
  fmt::print("{}: {} samples of {}\n{}definitions: cvf evaluate --definitions\n",
             done.from.at(forecast.empty() ? "model" : "forecast"), done.from.at("sample_count"),
             done.from.at("data"), evaluate::table(done.result));
}

Evaluate::Done Evaluate::evaluate_given() const {
  if (run_path.empty() && data_file.empty())
    throw UsageError("--forecast {}: give the truth, too: --data FILE, or the RUN whose file it is",
                     forecast);
  data::DataOptions file;
  if (data_file.empty()) file = open_run(run_path).trained_on().data;
  if (!data_file.empty()) file.file = data_file;
  check_outputs({file.file, forecast});
  const std::shared_ptr<const data::Source> given = data::open(forecast), truth = data::open_data(file);
  const std::size_t count = truth->description().samples;
  const auto list = evaluate::samples_forecast(
      *given, *truth,
      samples.empty() ? std::vector<std::size_t>{} : data::parse_ranges(samples, count, "--samples"));
  Done done{evaluate::evaluate_forecast(given, truth, list),
            {{"forecast", forecast},
             {"forecast_sha256", data::data_hash(forecast)},
             {"data", file.file},
             {"samples", data::write_ranges(list)},
             {"sample_count", fmt::format("{}", list.size())},
             {"date", today()},
             {"machine", machine()},
             {"cvf", fmt::format("{} ({})", version, commit)}}};
  write(done.result, done.from);
  return done;
}

Evaluate::Done Evaluate::evaluate() {
  if (protocol != "both") options.protocols = {protocol};
  if (options.keep > 0 && out.empty())
    throw UsageError("--keep {}: forecasts are written beside the scores; give --out NAME", options.keep);
  check_outputs({});  // before the model is read
  tensors::prepare();
  OpenedRun found = open_run(run_path);
  const auto facts = found.model->facts();
  TrainedOn trained = found.trained_on();
  if (!data_file.empty()) trained.data.file = data_file;
  if (options.every == 0) options.every = trained.downsampling.factor;
  if (!channels.empty()) trained.data.channels.clear();
  const auto source = rollout::fitted(data::open_data(trained.data), facts, channels, any_spacing);
  if (!data_file.empty()) say_notes(*source);
  auto inputs = files::files_below(model::folder::present(found.path));
  inputs.push_back(trained.data.file);
  check_outputs(inputs);
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
  result.warning = lack_of_skill(result, {run_path, found.run_toml, *source});
  const auto from = origin(found, trained, made.to_toml(), list.size());
  keep_forecasts(result, *source, from);
  write(result, from);
  return {std::move(result), from};
}

void Evaluate::keep_forecasts(const evaluate::Evaluation& result, const data::Source& source,
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

void Evaluate::write(const evaluate::Evaluation& result, const evaluate::Origin& from) const {
  if (out.empty()) return;
  files::write_atomically(out + ".csv", evaluate::csv(result));
  files::write_atomically(out + ".json", evaluate::json(result, from));
}

}  // namespace cvf::cli
