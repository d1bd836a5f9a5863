#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "cli/forecast_batch.hpp"
#include "cli/opened_run.hpp"
#include "cli/verbs.hpp"
#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "core/output_file.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"
#include "data/groups_format.hpp"
#include "data/splits.hpp"
#include "model/folder.hpp"
#include "rollout/fit.hpp"
#include "rollout/request.hpp"

namespace cvf::cli {
namespace {

struct Rollout {
  std::string run_path, out, samples, split = "test", controls_file;
  InputFile input;
  std::vector<std::string> channels, parameters;
  SolverOption solver;
  rollout::Request request;
  double memory_mb = 512, coverage = 0;
  bool overwrite = false, any_spacing = false;

  data::GroupsPlan plan(const data::Source& source, const rollout::Facts& model,
                        const std::vector<std::size_t>& wanted, const std::string& made) const {
    const auto& d = source.description();
    data::GroupsPlan out_plan{.state = state_of(d.channels(), d.state.axes)};
    for (const auto sample : wanted) out_plan.times.push_back(request.times_of(source, sample));
    out_plan.attributes = {{"forecast_of", d.file},
                           {"model", run_path},
                           {"model_data_hash", model.state.data_hash},
                           {"solver", made}};
    if (!parameters.empty()) out_plan.attributes.emplace_back("parameters_given", text::join(parameters));
    if (!controls_file.empty()) out_plan.attributes.emplace_back("controls_from", controls_file);
    rollout::add_context(out_plan, d.context);
    if (coverage > 0) out_plan.attributes.emplace_back("error_bar_coverage", fmt::format("{}", coverage));
    return out_plan;
  }

  // The run's own file as the run saw it, or one that the user names.
  std::shared_ptr<const data::Source> open(const OpenedRun& run, const TrainedOn& trained) const {
    auto data = trained.data;
    const auto given = given_context();
    if (input.path.empty() && data.file.empty())
      throw UsageError("{}: the model does not name the file that it was trained on; give --data", run_path);
    if (!input.path.empty() && !files::same_file(input.path, data.file)) {
      auto source =
          rollout::fitted(open_other(trained.data), run.model->facts(), channels, any_spacing, given);
      say_notes(*source);
      return source;
    }
    if (!input.options.dataset.empty()) data.open.dataset = input.options.dataset;
    if (!input.options.axes.empty()) data.open.axes = input.options.axes;
    if (input.options.dt > 0) data.open.dt = input.options.dt;
    if (!channels.empty()) data.channels.clear();
    if (!given.empty()) data.context = {};  // it is taken from the file with what is given in its place
    return rollout::fitted(data::open_data(data), run.model->facts(), channels, any_spacing, given);
  }

  // A file of arrays that does not name its axes is read as the run's own was.
  std::unique_ptr<data::Source> open_other(const data::DataOptions& own) const {
    data::OpenOptions stated = input.options;
    if (stated.dt == 0) stated.dt = own.open.dt;
    try {
      return data::open(input.path, stated);
    } catch (const DataError& unstated) {
      data::OpenOptions as_own = stated;
      if (stated.dataset.empty()) as_own.dataset = own.open.dataset;
      if (stated.axes.empty()) as_own.axes = own.open.axes;
      if (as_own.dataset == stated.dataset && as_own.axes == stated.axes) throw;
      std::unique_ptr<data::Source> source;
      try {
        source = data::open(input.path, as_own);
      } catch (const DataError&) {
        throw DataError("{}", unstated.what());  // the other arrays do not fit: what the user can state
      }
      log::note("{}: read as the run's own file: {}axes {}", input.path,
                as_own.dataset.empty() ? "" : fmt::format("dataset {}, ", text::printable(as_own.dataset)),
                as_own.axes);
      return source;
    }
  }

  // Once, and not for a little more than the data had.
  void warn_of_horizon(const data::Source& source, const TrainedOn& trained,
                       const rollout::Times& times) const {
    constexpr double far = 1.25;
    if (!files::same_file(source.description().file, trained.data.file)) return;
    double seen = 0, wanted = 0;
    for (const auto sample : data::make_splits(trained.split, source.description().samples).train) {
      const auto own = source.times(sample);
      seen = std::max(seen, own.back() - own.front());
    }
    for (const auto& sample : times) wanted = std::max(wanted, sample.back() - sample.front());
    if (wanted <= far * seen) return;
    log::warning(
        "forecasts reach {:.6g} beyond their start, training trajectories {:.6g}: no error was ever measured "
        "as far out as that",
        wanted, seen);
  }

  std::vector<std::size_t> chosen(const TrainedOn& trained, std::size_t count) const {
    if (!samples.empty()) return data::parse_ranges(samples, count, "--samples");
    if (!input.path.empty()) return data::parse_ranges(fmt::format("0:{}", count), count, "--samples");
    const auto splits = data::make_splits(trained.split, count);
    const auto& list = split == "train"        ? splits.train
                       : split == "validation" ? splits.validation
                                               : splits.test;
    if (list.empty()) throw UsageError("--split {}: the run has no such samples; give --samples", split);
    return list;
  }

  data::GivenContext given_context() const {
    data::GivenContext given;
    for (const auto& assignment : parameters) {
      const auto equals = assignment.find('=');
      if (equals == std::string::npos || equals == 0)
        throw UsageError("--parameter {}: write NAME=VALUE, e.g. omega=2.5", assignment);
      const double value = text::to_real(assignment.substr(equals + 1), "--parameter " + assignment);
      if (!std::isfinite(value)) throw UsageError("--parameter {}: the value must be finite", assignment);
      given.parameters[assignment.substr(0, equals)] = value;
    }
    if (!controls_file.empty()) given.read_controls(controls_file);
    return given;
  }

  // A record of each frame and its steps is held until the end.
  // `arrays` of the size of the states: themselves, and what stands beside them.
  void check_resources(const data::Source& source, const std::vector<std::size_t>& wanted,
                       double arrays) const {
    constexpr double notes_of_a_frame = 400;
    double frames = 0;
    for (const auto sample : wanted) frames += request.frames_of(source, sample);
    const auto& d = source.description();
    const std::size_t control_values =
        d.context.controls.size() + d.context.control_fields.size() * d.state.cells();
    data::check_resources(
        out,
        {.samples = static_cast<double>(wanted.size()),
         .frames = frames,
         .frame_values = arrays * static_cast<double>(d.frame_size()) + static_cast<double>(control_values),
         .sample_values = static_cast<double>(d.context.statics.size() * d.state.cells()),
         .frame_notes = notes_of_a_frame});
  }

  void run() {
    run_path = folder_of_run(run_path);
    files::OutputFile output{.path = out, .overwrite = overwrite, .endings = files::unfinished_endings};
    files::check_output(output);  // before the model is read
    const OpenedRun found = open_run(run_path);
    const auto facts = found.model->facts();
    const bool several = found.model->members() > 1;
    const TrainedOn trained = found.trained_on();
    output.inputs = files::files_below(model::folder::present(found.path));
    output.inputs.insert(output.inputs.end(),
                         {input.path.empty() ? trained.data.file : input.path, controls_file});
    files::check_output(output);
    const auto source = open(found, trained);
    const auto wanted = chosen(trained, source->description().samples);
    const solvers::Choice made = solver.choose(found);
    const auto stepper = made.build(rollout::context_of(facts, found.step_errors));
    rollout::warn_of_extrapolation(*source, facts, wanted);
    check_resources(*source, wanted, 1.0 + (several ? 1 : 0) + (coverage > 0 ? 1 : 0));
    const rollout::Setup setup{found.model, *stepper,
                               static_cast<std::size_t>(std::min(memory_mb * 1e6, 1e18)), any_spacing,
                               "no forecast was written"};
    auto planned = plan(*source, facts, wanted, made.to_toml());
    warn_of_horizon(*source, trained, planned.times);
    std::optional<ErrorBars> bars;
    if (coverage > 0) {
      bars.emplace(found, made, coverage);
      bars->warn_of_departures(planned.times, request.from_frame);
      planned.attributes.emplace_back("error_bar_score", evaluate::name(bars->score()));
    }
    if (several) planned.beside.emplace_back("spread");
    if (bars && bars->score() != evaluate::Score::rupture) planned.beside.emplace_back("value_bar");
    forecast_all(setup, *source, wanted, planned, bars);
  }

  void forecast_all(const rollout::Setup& setup, const data::Source& source,
                    const std::vector<std::size_t>& wanted, const data::GroupsPlan& planned,
                    std::optional<ErrorBars>& bars) const {
    rollout::ForecastFile file(out, planned, wanted);
    std::size_t frames = 0;
    for (const auto& t : planned.times) frames += t.size();
    Progress progress("forecast", frames, "frames");
    const auto one = request.given(source, std::span(wanted).first(1));
    const std::size_t together =
        setup.solver.shares_steps() ? wanted.size() : rollout::micro_batch_samples(setup, *one.rows);
    std::vector<std::string> troubles;
    std::int64_t evaluations = 0;
    for (std::size_t first = 0; first < wanted.size(); first += together) {
      const auto some = std::span(wanted).subspan(first, std::min(together, wanted.size() - first));
      const auto begin = planned.times.begin() + static_cast<std::ptrdiff_t>(first);
      const rollout::Times some_times(begin, begin + static_cast<std::ptrdiff_t>(some.size()));
      const ForecastBatch batch{some, first, request.given(source, some), some_times,
                                rollout::contexts_of(source, some)};
      const auto marked = batch.run(setup, {file, bars, [&progress] { progress.advance(); }});
      evaluations += summarise(marked, some, troubles);
    }
    file.finish();
    report(troubles, evaluations, wanted.size(), frames);
    if (bars) fmt::print("{}", bars->summary());
  }

  static std::int64_t summarise(const MarkedForecast& marked, std::span<const std::size_t> some,
                                std::vector<std::string>& troubles) {
    const auto& forecast = marked.forecast;
    std::int64_t evaluations = 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
      solvers::RowStatus worst;
      for (const auto& frame : forecast.frames[i]) {
        evaluations += frame.counts.evaluations;
        worst.worsen(frame.row_status.status, frame.row_status.time, frame.row_status.step);
      }
      const auto& departure = marked.departures.message(i);
      if (!departure.empty()) troubles.push_back(fmt::format("sample {}: {}", some[i], departure));
      if (worst.status != solvers::Status::done && worst.status != solvers::Status::outside_training)
        troubles.push_back(sentence(static_cast<std::int64_t>(some[i]), worst));
    }
    return evaluations;
  }

  void report(const std::vector<std::string>& troubles, std::int64_t evaluations, std::size_t count,
              std::size_t frames) const {
    for (std::size_t i = 0; i < std::min<std::size_t>(5, troubles.size()); ++i)
      log::warning("{}", troubles[i]);
    if (troubles.size() > 5) log::warning("and {} more warnings; see scalars/status", troubles.size() - 5);
    log::note(
        "{}: {} samples, {} frames, {:.2f} evaluations a predicted frame, {}", out, count, frames,
        static_cast<double>(evaluations) / static_cast<double>(std::max<std::size_t>(1, frames - count)),
        text::bytes(std::filesystem::file_size(out)));
  }
};

}  // namespace

void add_rollout(CLI::App& app) {
  CLI::App& verb_app = *app.add_subcommand("rollout", "forecast samples of a data file with a trained model");
  const auto verb = bind<Rollout>(verb_app);
  verb_app.footer(
      "Example: cvf rollout pendulum --until 9 --out forecast.h5 (the run's test samples), or with --data "
      "FILE\n"
      "The forecast is a data file (cvf data picture reads it) with time and step of every step, and its NRE "
      "where\n"
      "the solver measures it (--solver gcs).\n"
      "Solvers and their options: cvf explain solver");
  verb_app
      .add_option("RUN", verb->run_path,
                  "a model's folder, or a run's folder or name (its best, else its last model)")
      ->required();
  verb_app.add_option("--data", verb->input.path,
                      "data file with the initial states, all of its samples (the run's own, and its test "
                      "samples)");
  verb_app.add_option("--dataset", verb->input.options.dataset,
                      "path of the array in a plain HDF5 or NPZ file");
  verb_app.add_option("--axes", verb->input.options.axes, "axes of a plain array, e.g. n,t,y,x,c");
  add_dt(verb_app, verb->input.options);
  add_channels(verb_app, verb->channels);
  verb_app.add_option("--out", verb->out, "file to write")->required();
  verb_app.add_option("--samples", verb->samples, "which samples, e.g. 0:8");
  verb_app.add_option("--split", verb->split, "which samples of the run's own file")
      ->check(CLI::IsMember({"train", "validation", "test"}))
      ->default_str("test")
      ->excludes("--data");
  verb_app.add_option("--from", verb->request.from_frame, "the frame to start from (0)");
  verb_app.add_option("--until", verb->request.until,
                      "last time; the file's own times, continued at its spacing");
  verb_app.add_option("--times", verb->request.times, "explicit times, comma separated")
      ->delimiter(',')
      ->excludes("--until");
  verb_app.add_option("--parameter", verb->parameters,
                      "NAME=VALUE of a parameter, in place of the samples' own; may be repeated");
  verb_app.add_option(
      "--controls", verb->controls_file,
      "CSV (first line: t,NAME,...), NPZ or HDF5 with the controls, in place of the samples' own; "
      "linear between its times, and two equal times are a jump");
  verb->solver.add_to(verb_app);
  verb_app
      .add_option("--coverage", verb->coverage,
                  "error bars that a whole forecast stays inside with this probability, e.g. 0.9; needs cvf "
                  "evaluate RUN --calibrate")
      ->check(between_0_and_1());
  verb_app.add_option("--memory", verb->memory_mb, "megabytes that a batch may take, about (512)")
      ->check(refuse_not_positive);
  verb_app.add_flag("--overwrite", verb->overwrite, "replace an existing file");
  verb_app.add_flag("--allow-spacing", verb->any_spacing,
                    "take a grid of another spacing than the model was trained on");
}

}  // namespace cvf::cli
