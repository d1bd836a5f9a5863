#include "cli/models/error_bars.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "data/ranges.hpp"
#include "metrics/trust.hpp"
#include "train/run_data.hpp"

namespace cvf::cli {
namespace {

constexpr std::size_t told_one_by_one = 10;

bool among(const Samples& list, std::size_t sample) {
  return std::find(list.begin(), list.end(), sample) != list.end();
}

std::string making(const run::Folder& run) {
  return fmt::format("make it with: cvf evaluate {} --calibrate", run.path);
}

}  // namespace

CLI::Validator between_0_and_1() {
  return {[](const std::string& word) {
            char* end = nullptr;
            const double value = std::strtod(word.c_str(), &end);
            return *end == 0 && value > 0 && value < 1 ? "" : word + " is not between 0 and 1";
          },
          "0..1"};
}

void refuse_unfit(const data::Splits& splits, const Samples& list, const run::Folder& run,
                  const std::string& data_file) {
  if (train::data_hash(data_file) != run.model.spec.state.data_hash) {
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

void write_calibration(const run::Folder& run, const solvers::Choice& solver, evaluate::Score score,
                       const std::vector<evaluate::Trial>& trials,
                       const std::vector<evaluate::Trial>& for_shape, const Samples& list,
                       const std::string& solver_words) {
  auto made = evaluate::calibrate(trials, for_shape);
  made.score = score;
  made.checkpoint = run.checkpoint;
  made.solver = solver.to_toml();
  made.data_hash = run.model.spec.state.data_hash;
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
  const auto count = static_cast<double>(list.size());
  fmt::print(
      "A new trajectory of this kind stays inside its bars at every frame with the probability of the "
      "coverage at least;\n{} samples allow {:.3g} at most. Bars and errors are medians of the RMSE.\n"
      "Next: cvf rollout {}{} --coverage {} --out forecast.h5\n",
      list.size(), count / (count + 1), run.path, solver_words, widest);
}

std::optional<evaluate::Calibration> calibration_for(const run::Folder& run, const solvers::Choice& solver,
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

ErrorBars::ErrorBars(const run::Folder& run, const solvers::Choice& solver, double coverage)
    : coverage_(coverage) {
  const std::string file = evaluate::calibration_file(run.path);
  if (!std::filesystem::exists(file)) {
    throw ModelError("{}: error bars need this calibration; {}", file, making(run));
  }
  calibration_ = evaluate::load_calibration(file);
  const std::string why = calibration_.objection(run.checkpoint, solver.to_toml());
  if (!why.empty()) throw ModelError("{}: {}; {}", file, why, making(run));
  factor_ = calibration_.factor(coverage);
}

void ErrorBars::warn_of_departures(const rollout::Times& times, std::size_t from_frame) const {
  std::string departure = from_frame > 0 ? fmt::format("a start from frame {}, not 0", from_frame) : "";
  for (const auto& sample : times) {
    if (departure.empty()) departure = calibration_.departure(sample);
  }
  if (departure.empty()) return;
  log::warning("error bars keep their promise for forecasts like the calibrated ones, and this one has {}",
               departure);
}

std::vector<double> ErrorBars::of(std::size_t sample, const std::vector<double>& doubts,
                                  const std::vector<double>& times) {
  auto out = calibration_.bars(factor_, doubts, times);
  last_.push_back({sample, times.back(), out.back()});
  return out;
}

std::string ErrorBars::summary() const {
  std::string out = fmt::format(
      "error bars at a coverage of {} (RMSE at the last frame; from {} validation trajectories)\n", coverage_,
      calibration_.trajectories);
  if (last_.size() <= told_one_by_one) {
    for (const auto& [sample, time, bar] : last_) {
      out += fmt::format("  sample {} at time {:.6g}: {}\n", sample, time,
                         std::isinf(bar) ? "no bar" : fmt::format("at most {:.4g}", bar));
    }
    return out;
  }
  std::vector<double> bars;
  for (const auto& last : last_) bars.push_back(last.bar);
  std::sort(bars.begin(), bars.end());
  const auto none = std::count_if(bars.begin(), bars.end(), [](double bar) { return std::isinf(bar); });
  return out + fmt::format("  {} samples: {:.4g} to {:.4g}, median {:.4g}; {} have no bar\n", bars.size(),
                           bars.front(), bars.back(), bars[bars.size() / 2], none);
}

}  // namespace cvf::cli
