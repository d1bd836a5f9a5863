#include "cli/error_bars.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/text.hpp"

namespace cvf::cli {
namespace {

constexpr std::size_t told_one_by_one = 10;

std::string making(const OpenedRun& run) {
  return fmt::format("make it with: cvf evaluate {} --calibrate", text::shell_quoted(run.path));
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

ErrorBars::ErrorBars(const OpenedRun& run, const solvers::Choice& solver, double coverage)
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

rollout::StateArray ErrorBars::of_values(const rollout::StateArray& scales, double elapsed) const {
  auto out = nowhere(scales.leading, scales);
  const double factor = calibration_.value_factor(coverage_, elapsed);
  scales.visit([&]<class T>(std::span<T> all) {
    std::transform(all.begin(), all.end(), out.rows->template data<T>(),
                   [factor](T scale) { return static_cast<T>(static_cast<double>(scale) * factor); });
  });
  return out;
}

std::string ErrorBars::summary() const {
  std::string out = fmt::format(
      "error bars at a coverage of {} (RMSE at the last frame; from {} validation trajectories)\n", coverage_,
      calibration_.trajectories);
  if (evaluations_ > 0) {
    out += fmt::format("  by {}, measured in a second pass: {} evaluations in addition to the forecast\n",
                       evaluate::name(score()), evaluations_);
  }
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
