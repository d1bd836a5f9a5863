#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>

#include "cli/models/run_folder.hpp"
#include "cli/verbs.hpp"
#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "core/progress.hpp"
#include "core/text.hpp"
#include "core/torch/prepare.hpp"
#include "data/ranges.hpp"
#include "rollout/forecast_file.hpp"
#include "solvers/choice.hpp"

namespace cvf::cli {
namespace {

using torch::Tensor;

struct Rollout {
  std::string run_path, out, samples, solver;
  InputFile input;
  std::size_t from_frame = 0;
  double until = NAN, memory_mb = 512;
  std::vector<double> times;
  std::vector<std::string> sets;
  bool overwrite = false;

  solvers::Choice choice(const RunFolder& run) const {
    solvers::Choice out_choice;
    out_choice.name = run.solver;
    config::Document document;
    if (!solver.empty()) document.set("solver.name=" + solver);
    for (const auto& assignment : sets) document.set(assignment);
    document.read([&](config::Section& s) {
      s.table("solver", "how the state is stepped", [&](config::Section& t) { out_choice.describe(t); });
    });
    return out_choice;
  }

  // The given frame's time, then the wanted ones: as asked for, or the file's own, continued at its last
  // spacing where it ends too early.
  std::vector<double> times_of(const data::Source& source, std::size_t sample) const {
    const auto own = source.times(sample);
    if (from_frame >= own.size()) {
      throw UsageError("--from {}: sample {} has {} frames", from_frame, sample, own.size());
    }
    std::vector<double> all{own[from_frame]};
    if (!times.empty()) {
      all.insert(all.end(), times.begin(), times.end());
      return all;
    }
    for (std::size_t k = from_frame + 1; k < own.size(); ++k) {
      if (std::isnan(until) || own[k] <= until) all.push_back(own[k]);
    }
    return std::isnan(until) ? all : continued(std::move(all), own, sample);
  }

  std::vector<double> continued(std::vector<double> all, const std::vector<double>& own,
                                std::size_t sample) const {
    if (until <= all.front()) {
      throw UsageError("--until {}: sample {} starts at {}", until, sample, all.front());
    }
    const double spacing = own.size() > 1 ? own.back() - own[own.size() - 2] : until - all.front();
    const double last = std::max(all.back(), own.back());
    for (std::size_t k = 1; last + static_cast<double>(k) * spacing <= until + 1e-6 * spacing; ++k) {
      all.push_back(last + static_cast<double>(k) * spacing);
    }
    if (all.back() < until - 1e-6 * spacing) all.push_back(until);
    return all;
  }

  data::GroupsPlan plan(const data::Source& source, const model::TrainedModel& model,
                        const std::vector<std::size_t>& wanted, solvers::Choice choice_made) const {
    const auto& d = source.description();
    data::GroupsPlan out_plan{d.channels, d.ny, d.nx, d.x, d.y, d.boundary, {}, {}, {}};
    for (const auto sample : wanted) out_plan.times.push_back(times_of(source, sample));
    out_plan.attributes = {{"forecast_of", d.file},
                           {"model", run_path},
                           {"model_data_hash", model.recipe.state.data_hash},
                           {"solver", config::write([&](config::Section& s) { choice_made.describe(s); })}};
    return out_plan;
  }

  // States [B,C,...] of the given frames.
  Tensor given(const data::Source& source, std::span<const std::size_t> wanted) const {
    const auto& d = source.description();
    std::vector<Tensor> all;
    for (const auto sample : wanted) {
      Tensor frame = torch::empty({static_cast<std::int64_t>(d.ny), static_cast<std::int64_t>(d.nx),
                                   static_cast<std::int64_t>(d.channels.size())});
      const std::span<float> values(frame.data_ptr<float>(), d.frame_size());
      source.read(sample, from_frame, 1, values);
      data::require_finite(source, sample, from_frame, values);
      all.push_back(d.ny * d.nx == 1 ? frame.flatten() : frame.permute({2, 0, 1}).contiguous());
    }
    return torch::stack(all);
  }

  void run() const {
    tensors::prepare();
    if (std::filesystem::exists(out) && !overwrite) {
      throw DataError("{}: exists already; give --overwrite to replace it, or another --out", out);
    }
    const RunFolder run_folder = open_run(run_path);
    const model::TrainedModel& model = run_folder.model;
    const auto source = input.open();
    check_fits(*source, model);
    const std::size_t count = source->description().samples;
    const auto wanted =
        data::parse_ranges(samples.empty() ? fmt::format("0:{}", count) : samples, count, "--samples");
    const solvers::Choice made = choice(run_folder);
    const auto stepper = made.build(rollout::context_of(model));
    const rollout::Setup setup{model, *stepper, run_folder.conditioned,
                               static_cast<std::size_t>(memory_mb * 1e6)};
    forecast_all(setup, *source, wanted, plan(*source, model, wanted, made));
  }

  void forecast_all(const rollout::Setup& setup, const data::Source& source,
                    const std::vector<std::size_t>& wanted, const data::GroupsPlan& plan_made) const {
    rollout::ForecastFile file(out, plan_made, wanted);
    std::size_t frames = 0;
    for (const auto& t : plan_made.times) frames += t.size();
    Progress progress("forecast", frames, "frames");
    const Tensor one = given(source, std::span(wanted).first(1));
    const std::size_t together =
        setup.solver.shares_steps() ? wanted.size() : rollout::rows_at_once(setup, one);
    std::vector<std::string> troubles;
    std::int64_t evaluations = 0;
    for (std::size_t first = 0; first < wanted.size(); first += together) {
      const auto some = std::span(wanted).subspan(first, std::min(together, wanted.size() - first));
      const rollout::Times some_times(
          plan_made.times.begin() + static_cast<std::ptrdiff_t>(first),
          plan_made.times.begin() + static_cast<std::ptrdiff_t>(first + some.size()));
      const auto sink = [&](std::size_t row, std::size_t frame, const rollout::Physical& state) {
        interrupt::throw_if_requested("no forecast was written");
        file.write(first + row, frame, state);
        progress.advance();
      };
      const auto forecast = rollout::forecast(setup, {given(source, some)}, some_times, sink);
      file.write_records(first, forecast.frames);
      evaluations += summarise(forecast, some, troubles);
    }
    file.finish();
    report(troubles, evaluations, wanted.size(), frames);
  }

  static std::int64_t summarise(const rollout::Forecast& forecast, std::span<const std::size_t> some,
                                std::vector<std::string>& troubles) {
    std::int64_t evaluations = 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
      solvers::Remark worst;
      for (const auto& frame : forecast.frames[i]) {
        evaluations += frame.counts.evaluations;
        worst.worsen(frame.remark.status, frame.remark.time, frame.remark.step);
      }
      if (worst.status != solvers::Status::done) {
        troubles.push_back(sentence(static_cast<std::int64_t>(some[i]), worst));
      }
    }
    return evaluations;
  }

  void report(const std::vector<std::string>& troubles, std::int64_t evaluations, std::size_t count,
              std::size_t frames) const {
    for (std::size_t i = 0; i < std::min<std::size_t>(5, troubles.size()); ++i)
      log::warning("{}", troubles[i]);
    if (troubles.size() > 5) log::warning("and {} more samples; see scalars/status", troubles.size() - 5);
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
  verb_app.footer("Solvers and their options: cvf explain solver");
  verb_app.add_option("RUN", verb->run_path, "a model's folder, or a run's (its best, else its last model)")
      ->required();
  verb_app.add_option("--data", verb->input.path, "data file with the initial states")->required();
  verb_app.add_option("--dataset", verb->input.options.dataset,
                      "path of the array in a plain HDF5 or NPZ file");
  verb_app.add_option("--axes", verb->input.options.axes, "axes of a plain array, e.g. n,t,y,x,c");
  verb_app.add_option("--dt", verb->input.options.dt, "time between frames when the file does not tell");
  verb_app.add_option("--out", verb->out, "file to write")->required();
  verb_app.add_option("--samples", verb->samples, "which samples, e.g. 0:8; all when left out");
  verb_app.add_option("--from", verb->from_frame, "the frame to start from (0)");
  verb_app.add_option("--until", verb->until, "last time; the file's own times, continued at its spacing");
  verb_app.add_option("--times", verb->times, "explicit times, comma separated")
      ->delimiter(',')
      ->excludes("--until");
  verb_app.add_option("--solver", verb->solver, "instead of the one that suits the model's objective");
  verb_app.add_option("--set", verb->sets, "any key of the solver, e.g. --set solver.slack=1")
      ->allow_extra_args(false);
  verb_app.add_option("--memory", verb->memory_mb, "megabytes that a batch may take, about (512)")
      ->check(CLI::PositiveNumber);
  verb_app.add_flag("--overwrite", verb->overwrite, "replace an existing file");
}

}  // namespace cvf::cli
