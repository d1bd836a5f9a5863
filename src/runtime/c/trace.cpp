// The C interface: how forecasts went, and how far to trust them.
#include <algorithm>

#include "runtime/c/handles.hpp"

namespace cvf::runtime {
namespace {

cvf_result result_with(const solvers::Counts& counts, const solvers::RowStatus& row_status,
                       double largest_error) {
  return {.status = static_cast<int32_t>(row_status.status),
          .reached = solvers::reaches_target(row_status.status) ? 1 : 0,
          .time = row_status.time,
          .step = row_status.step,
          .evaluations = counts.evaluations,
          .accepted = counts.accepted,
          .rejected = counts.rejected,
          .largest_error = largest_error};
}

const cvf_trace& with_sample(const cvf_trace* trace, std::size_t sample) {
  const std::size_t count = required(trace, "trace").targets.size();
  if (sample >= count) throw UsageError("sample {} of a forecast of {}", sample, count);
  return *trace;
}

double checked(double coverage) {
  if (!(coverage > 0 && coverage < 1)) throw UsageError("a coverage of {}: give 0 to 1", coverage);
  return coverage;
}

template <class T>
int value_bars_of(const cvf_model* model, std::size_t count, const T* spread, const double* lead_times,
                  double coverage, T* bars) noexcept {
  return guarded([&] {
    const Model& loaded = required(model, "model").model;
    checked(coverage);
    if (count == 0) return;
    required(spread, "spread"), required(lead_times, "lead_times"), required(bars, "bars");
    const auto calibration = calibration_of(loaded);
    for (std::size_t i = 0; i < count; ++i) {
      value_bars(loaded, calibration, spread + i * loaded.values(), lead_times[i], coverage,
                 bars + i * loaded.values());
    }
  });
}

}  // namespace

cvf_result result_of(const Trace& trace, std::size_t sample) {
  const auto& o = trace.outcome;
  return result_with(o.counts[sample], o.statuses[sample], trace.largest_error(sample));
}

}  // namespace cvf::runtime

using namespace cvf::runtime;

cvf_trace::cvf_trace(Model of, Trace how) : model(std::move(of)), trace(std::move(how)) {
  for (std::size_t sample = 0; sample < trace.times.size(); ++sample) {
    const auto frames = trace.frames(sample);
    const auto errors = trace.largest_errors(sample);
    auto& own = targets.emplace_back();
    for (std::size_t k = 1; k < frames.size(); ++k)
      own.push_back(result_with(frames[k].counts, frames[k].row_status, errors[k]));
    auto& taken = steps.emplace_back();
    for (const auto& s : trace.outcome.steps[sample]) taken.push_back({s.time, s.step, s.error});
    messages.push_back(trace.message(sample));
  }
}

void cvf_trace_free(cvf_trace* trace) {
  delete trace;
}

int cvf_trace_result(const cvf_trace* trace, size_t sample, cvf_result* result) {
  return guarded([&] { required(result, "result") = result_of(with_sample(trace, sample).trace, sample); });
}

int cvf_trace_target(const cvf_trace* trace, size_t sample, size_t target, cvf_result* result) {
  return guarded([&] {
    const auto& own = with_sample(trace, sample).targets[sample];
    if (target >= own.size()) throw cvf::UsageError("target {} of a forecast to {}", target, own.size());
    required(result, "result") = own[target];
  });
}

const char* cvf_trace_message(const cvf_trace* trace, size_t sample) {
  return trace != nullptr && sample < trace->messages.size() ? trace->messages[sample].c_str() : "";
}

int cvf_trace_steps(const cvf_trace* trace, size_t sample, const cvf_accepted_step** steps, size_t* count) {
  return guarded([&] {
    const auto& own = with_sample(trace, sample).steps[sample];
    required(steps, "steps") = own.data();
    required(count, "count") = own.size();
  });
}

int cvf_trace_nre(const cvf_trace* trace, size_t sample, double* nre) {
  return guarded([&] {
    const auto all = with_sample(trace, sample).trace.largest_nre(sample);
    if (all.size() > 1) std::copy(all.begin() + 1, all.end(), &required(nre, "nre"));
  });
}

int cvf_trace_error_bars(const cvf_trace* trace, size_t sample, double coverage, double* bars) {
  return guarded([&] {
    with_sample(trace, sample);
    checked(coverage);
    const auto calibration = calibration_of(trace->model);
    const auto all =
        calibration.bars(calibration.factor(coverage), trace->trace.doubts(calibration.score, sample),
                         trace->trace.times[sample]);
    if (all.size() > 1) std::copy(all.begin() + 1, all.end(), &required(bars, "bars"));
  });
}

int cvf_value_bars(const cvf_model* model, size_t count, const double* spread, const double* lead_times,
                   double coverage, double* bars) {
  return value_bars_of(model, count, spread, lead_times, coverage, bars);
}
int cvf_value_bars_f32(const cvf_model* model, size_t count, const float* spread, const double* lead_times,
                       double coverage, float* bars) {
  return value_bars_of(model, count, spread, lead_times, coverage, bars);
}
