#include "cli/models/calibrating.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "data/data_options.hpp"
#include "data/splits.hpp"
#include "evaluate/step_errors.hpp"
#include "metrics/trust.hpp"
#include "rollout/fit.hpp"
#include "run/step_errors.hpp"

namespace cvf::cli {
namespace {

bool among(const Samples& list, std::size_t sample) {
  return std::find(list.begin(), list.end(), sample) != list.end();
}

}  // namespace

void refuse_unfit(const data::Splits& splits, const Samples& list, const OpenedRun& run,
                  const std::string& data_file) {
  if (data::data_hash(data_file) != run.model->facts().state.data_hash) {
    throw DataError("{}: is not the file that the model was trained on, so nobody knows which samples it saw",
                    data_file);
  }
  for (const auto sample : list) {
    if (among(splits.validation, sample)) continue;
    throw UsageError(
        "sample {} {}: calibrate with the run's validation samples, {}", sample,
        among(splits.train, sample) ? "was trained on, so its errors are too small" : "is not for validation",
        data::write_ranges(splits.validation));
  }
}

Samples shape_samples(const data::Splits& splits, const Samples& list) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(splits.train.size(), list.size()));
  return {splits.train.begin(), splits.train.begin() + count};
}

void write_calibration(const OpenedRun& run, const solvers::Choice& solver, evaluate::Score score,
                       const std::vector<evaluate::Trial>& trials,
                       const std::vector<evaluate::Trial>& for_shape, const Samples& list,
                       const std::string& solver_words) {
  auto made = evaluate::calibrate(trials, for_shape);
  made.score = score;
  made.checkpoint = run.checkpoint;
  made.solver = solver.to_toml();
  made.data_hash = run.model->facts().state.data_hash;
  made.samples = data::write_ranges(list);
  const std::string file = evaluate::calibration_file(run.path);
  evaluate::save(made, file);
  fmt::print(
      "{}: {} with {}, by its {}, on the run's {} validation samples {}; {} training samples gave the shape "
      "over "
      "time\n",
      file, run.path, solver.name, evaluate::name(score), list.size(), made.samples, for_shape.size());
  double widest = 0;
  fmt::print("  {:>8} {:>12} {:>22} {:>18}\n", "coverage", "factor", "bar at the last frame", "error there");
  for (const double coverage : {0.5, 0.8, 0.9, 0.95}) {
    if (metrics::needed_for(coverage) > list.size()) continue;
    if (coverage <= 0.9) widest = coverage;
    const auto seen = evaluate::coverage_of(made, coverage, trials);
    fmt::print("  {:>8} {:>12.4g} {:>22.4g} {:>18.4g}\n", coverage, seen.factor, seen.last_bar,
               seen.last_error);
  }
  if (made.unbounded > 0) {
    fmt::print("  {} samples have frames without a bar: a step whose NRE was not measured, or a stop\n",
               made.unbounded);
  }
  if (const auto cost = evaluate::cost_of(score, solver); !cost.empty())
    fmt::print("  cost: a forecast with these bars goes its way once more, {}\n", cost);
  const auto count = static_cast<double>(list.size());
  fmt::print(
      "A new trajectory of this kind stays inside its bars at every frame with the probability of the "
      "coverage at least;\n{} samples allow {:.3g} at most. Bars and errors are medians of the RMSE.\n"
      "Next: cvf rollout {}{} --coverage {} --out forecast.h5\n",
      list.size(), count / (count + 1), text::shell_quoted(run.path), solver_words, widest);
}

void learn_step_errors(OpenedRun& run, const data::Source& source, const Samples& list,
                       const evaluate::Viewing& viewing, bool any_spacing) {
  if (!run.model->conditioned()) return;
  const auto facts = run.model->facts();
  const auto any = solvers::make("euler", rollout::context_of(facts));
  const rollout::Setup setup{
      .model = run.model, .solver = *any, .any_spacing = any_spacing, .kept = "nothing was written"};
  const auto tried = evaluate::tried_steps(setup, source, list, viewing);
  const auto errors = evaluate::fit_step_errors(tried);
  run::save_step_errors(run.path, errors, {run.checkpoint, facts.state.data_hash, data::write_ranges(list)});
  run.step_errors = run::load_step_errors(run.path, run.checkpoint);
  fmt::print(
      "{}: the error of a step by its NRE and length, {:.3g} to {:.3g} standard deviations of the state, "
      "from {} steps; for solver.tolerance\n",
      run::step_errors_file(run.path), errors.error.front(), errors.error.back(), tried.size());
}

std::optional<evaluate::Calibration> calibration_for(const OpenedRun& run, const solvers::Choice& solver,
                                                     double coverage, const data::Splits& splits,
                                                     const Samples& list) {
  const std::string file = evaluate::calibration_file(run.path);
  if (!std::filesystem::exists(file)) return std::nullopt;
  auto found = evaluate::load_calibration(file);
  std::string why = found.objection(run.checkpoint, solver.to_toml());
  const std::size_t needed = metrics::needed_for(coverage);
  if (why.empty() && std::cmp_less(found.trajectories, needed)) {
    why = fmt::format("has {} trajectories, and a coverage of {} needs {}", found.trajectories, coverage,
                      needed);
  }
  const bool fresh = std::none_of(list.begin(), list.end(), [&](std::size_t sample) {
    return among(splits.train, sample) || among(splits.validation, sample);
  });
  if (why.empty() && !fresh) why = "promises nothing about samples that trained or calibrated";
  if (why.empty()) return found;
  log::note("{}: {}, so error bars are not checked", file, why);
  return std::nullopt;
}

}  // namespace cvf::cli
