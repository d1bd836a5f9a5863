#include "runtime/trace.hpp"

#include <cmath>
#include <filesystem>
#include <limits>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace cvf::runtime {
namespace {

std::vector<double> targets_of(const std::vector<double>& times) {
  return {times.begin() + 1, times.end()};
}

double largest_of(const std::vector<solvers::Step>& steps, double before) {
  for (const auto& step : steps) before = std::fmax(before, step.error);  // fmax passes over NaN
  return before;
}

// Of the steps on the way to each frame, where it is larger.
void add_largest(std::vector<double>& worst, const std::vector<solvers::Frame>& frames) {
  double last = std::numeric_limits<double>::quiet_NaN();  // of the step that a frame without its own lies in
  for (std::size_t k = 0; k < frames.size(); ++k) {
    worst[k] = std::fmax(worst[k], frames[k].steps.empty() ? last : largest_of(frames[k].steps, NAN));
    if (!frames[k].steps.empty()) last = frames[k].steps.back().error;
  }
}

std::string making(const Model& model) {
  return fmt::format("make it with: cvf evaluate {} --calibrate", text::shell_quoted(model.path()));
}

}  // namespace

std::vector<solvers::Frame> Trace::frames(std::size_t sample) const {
  return solvers::frames_of(outcome, sample, targets_of(times[sample]), false);
}

std::vector<solvers::Frame> Trace::frames(std::size_t sample, std::size_t member) const {
  return members == 1 ? frames(sample)
                      : solvers::frames_of(rows, sample * members + member, targets_of(times[sample]), false);
}

std::string Trace::message(std::size_t sample) const {
  const auto& row_status = outcome.statuses[sample];
  std::string departure = sample < departures.size() ? departures[sample] : "";
  if (row_status.status == solvers::Status::done || row_status.status == solvers::Status::outside_training)
    return departure;
  const std::string sentence = solvers::sentence(0, row_status);
  return sentence.substr(sentence.find(": ") + 2) + (departure.empty() ? "" : "; " + departure);
}

double Trace::largest_error(std::size_t sample) const {
  double worst = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t m = 0; m < members; ++m)
    worst = largest_of(members == 1 ? outcome.steps[sample] : rows.steps[sample * members + m], worst);
  return worst;
}

std::vector<solvers::Frame> Trace::judged_frames(std::size_t sample, std::size_t member) const {
  auto out = frames(sample, member);
  if (nre == nullptr) return out;
  const auto& own = nre->get()[sample * members + member];
  auto next = own.begin();
  for (auto& frame : out) {
    for (auto& step : frame.steps) {
      if (next != own.end()) step.error = *next++;
    }
  }
  return out;
}

std::vector<double> Trace::largest_errors(std::size_t sample) const {
  std::vector<double> worst(times[sample].size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t m = 0; m < members; ++m) add_largest(worst, frames(sample, m));
  return worst;
}

std::vector<double> Trace::largest_nre(std::size_t sample) const {
  std::vector<double> worst(times[sample].size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t m = 0; m < members; ++m) add_largest(worst, judged_frames(sample, m));
  return worst;
}

std::vector<double> Trace::doubts(metrics::Signal signal, std::size_t sample) const {
  if (signal == metrics::Signal::spread && members > 1) return spreads[sample];
  if (signal == metrics::Signal::step_doubling) {
    if (doubling == nullptr) {
      throw UsageError(
          "error bars by step doubling need a forecast that was made with the calibration there: load the "
          "model and forecast again");
    }
    return doubling->get()[sample];
  }
  std::vector<double> out(times[sample].size(), 0);
  for (std::size_t m = 0; m < members; ++m) {
    const auto own = metrics::doubts(judged_frames(sample, m), times[sample]);
    for (std::size_t k = 0; k < own.size(); ++k) out[k] += own[k] / static_cast<double>(members);
  }
  return out;
}

metrics::Calibration calibration_of(const Model& model) {
  const std::string file = metrics::calibration_file(model.path());
  if (!std::filesystem::exists(file))
    throw ModelError("{}: error bars need this calibration; {}", file, making(model));
  auto out = metrics::load_calibration(file);
  const std::string why = out.objection(model.checkpoint(), model.solver_choice().to_toml());
  if (!why.empty()) throw ModelError("{}: {}; {}", file, why, making(model));
  return out;
}

template <class T>
void value_bars(const Model& model, const metrics::Calibration& calibration, const T* spread, double elapsed,
                double coverage, T* bars) {
  if (calibration.score != metrics::Signal::spread) {
    throw ModelError("{}: bars of single values go by the spread of members; {} --score spread",
                     metrics::calibration_file(model.path()), making(model));
  }
  metrics::value_scales<T>({spread, model.values()}, model.cells(), bars);
  const double factor = calibration.value_factor(coverage, elapsed);
  for (std::size_t i = 0; i < model.values(); ++i)
    bars[i] = static_cast<T>(static_cast<double>(bars[i]) * factor);
}

template void value_bars<float>(const Model&, const metrics::Calibration&, const float*, double, double,
                                float*);
template void value_bars<double>(const Model&, const metrics::Calibration&, const double*, double, double,
                                 double*);

}  // namespace cvf::runtime
