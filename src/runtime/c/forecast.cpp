// The C interface: states through time.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/c/handles.hpp"

namespace cvf::runtime {
namespace {

template <class T>
std::vector<T> copied(const T* values, std::size_t count, const char* name) {
  if (count == 0) return {};
  return {&required(values, name), &required(values, name) + count};
}

SampleContextPointer context_of(const cvf_model& model, const cvf_context& given) {
  const auto count = [&](cvf_names which) { return model.names[static_cast<std::size_t>(which)].size(); };
  const std::size_t cells = model.model.cells(), times = given.time_count;
  auto out = std::make_shared<SampleContext>();
  out->parameters = copied(given.parameters, count(CVF_PARAMETERS), "context.parameters");
  out->statics = copied(given.statics, count(CVF_STATICS) * cells, "context.statics");
  if (count(CVF_CONTROLS) + count(CVF_CONTROL_FIELDS) == 0) return out;
  out->times = copied(given.times, times, "context.times");
  out->controls = copied(given.controls, times * count(CVF_CONTROLS), "context.controls");
  out->control_fields =
      copied(given.control_fields, times * count(CVF_CONTROL_FIELDS) * cells, "context.control_fields");
  if (!std::is_sorted(out->times.begin(), out->times.end()))
    throw DataError("the times of the controls must increase");
  return out;
}

Conditions conditions_of(const cvf_model& model, std::size_t batch, const cvf_conditions* given) {
  Conditions out;
  if (given == nullptr) return out;
  if (given->context_count > 0) required(given->contexts, "conditions.contexts");
  for (std::size_t i = 0; i < given->context_count; ++i)
    out.contexts.push_back(context_of(model, given->contexts[i]));
  if (given->start_times != nullptr) out.start_times.assign(given->start_times, given->start_times + batch);
  return out;
}

double largest_error(const std::vector<solvers::Step>& steps) {
  double worst = std::numeric_limits<double>::quiet_NaN();
  for (const auto& step : steps) worst = std::fmax(worst, step.error);  // fmax passes over NaN
  return worst;
}

cvf_result result_of(const solvers::Counts& counts, const solvers::RowStatus& row_status,
                     const std::vector<solvers::Step>& steps) {
  return {.status = static_cast<int32_t>(row_status.status),
          .reached = solvers::reaches_target(row_status.status) ? 1 : 0,
          .time = row_status.time,
          .step = row_status.step,
          .evaluations = counts.evaluations,
          .accepted = counts.accepted,
          .rejected = counts.rejected,
          .largest_error = largest_error(steps)};
}

// The others went where they should; whoever looks at codes only must hear of the first that did not.
void require_reached(const Trace& trace) {
  for (std::size_t i = 0; i < trace.outcome.statuses.size(); ++i) {
    const auto& row_status = trace.outcome.statuses[i];
    if (!solvers::reaches_target(row_status.status))
      throw NumericsError("{}", solvers::sentence(static_cast<std::int64_t>(i), row_status));
  }
}

template <class T>
using Moving = Trace (*)(const Model&, T*, std::size_t, std::span<const double>, const Conditions&, int);

template <class T>
int moved(Moving<T> move, const cvf_model* model, std::size_t batch, T* states, const double* dt,
          const cvf_conditions* conditions, cvf_result* results) noexcept {
  return guarded([&] {
    required(model, "model");
    if (batch == 0) return;
    required(states, "states");
    const auto trace = move(model->model, states, batch, {&required(dt, "dt"), batch},
                            conditions_of(*model, batch, conditions), model->threads);
    for (std::size_t i = 0; results != nullptr && i < batch; ++i) results[i] = result_of(trace, i);
    require_reached(trace);
  });
}

template <class T>
int nre_of(const cvf_model* model, std::size_t batch, const T* states, const double* dt,
           const cvf_conditions* conditions, double* out) noexcept {
  return guarded([&] {
    required(model, "model");
    if (batch == 0) return;
    required(states, "states"), required(out, "nre");
    const auto all = nre(model->model, states, batch, {&required(dt, "dt"), batch},
                         conditions_of(*model, batch, conditions), model->threads);
    std::copy(all.begin(), all.end(), out);
  });
}

template <class T>
int forecast_of(const cvf_model* model, std::size_t batch, const T* states, const double* times,
                std::size_t time_lists, std::size_t time_count, const cvf_conditions* conditions,
                const Visit<T>& visit, cvf_trace** trace) noexcept {
  return guarded([&] {
    if (trace != nullptr) *trace = nullptr;
    required(model, "model");
    if (batch == 0) return;
    required(states, "states");
    std::vector<std::vector<double>> lists;
    for (std::size_t i = 0; i < time_lists; ++i)
      lists.push_back(
          copied(time_count > 0 ? &required(times, "times") + i * time_count : times, time_count, "times"));
    auto made = forecast<T>(model->model, states, batch, lists, conditions_of(*model, batch, conditions),
                            model->threads, visit);
    if (trace == nullptr) return require_reached(made);
    *trace = new cvf_trace(model->model, std::move(made));
    require_reached((*trace)->trace);
  });
}

template <class T>
int forecast_into(const cvf_model* model, std::size_t batch, const T* states, const double* times,
                  std::size_t time_lists, std::size_t time_count, const cvf_conditions* conditions, T* out,
                  cvf_trace** trace) noexcept {
  const int code = guarded([&] {
    const std::size_t count = required(model, "model").model.values() * time_count * batch;
    if (count > 0) std::fill_n(&required(out, "forecast"), count, std::numeric_limits<T>::quiet_NaN());
  });
  if (code != CVF_OK) return code;
  const std::size_t values = model->model.values();
  return forecast_of<T>(
      model, batch, states, times, time_lists, time_count, conditions,
      [&](std::size_t sample, std::size_t target, const T* state) {
        std::copy_n(state, values, out + (sample * time_count + target) * values);
      },
      trace);
}

template <class T, class Visitor>
int forecast_to(const cvf_model* model, std::size_t batch, const T* states, const double* times,
                std::size_t time_lists, std::size_t time_count, const cvf_conditions* conditions,
                Visitor visitor, void* user, cvf_trace** trace) noexcept {
  if (visitor == nullptr) return failed(CVF_USAGE, "visit is NULL");
  return forecast_of<T>(
      model, batch, states, times, time_lists, time_count, conditions,
      [&](std::size_t sample, std::size_t target, const T* state) {
        const double time = times[(time_lists == 1 ? 0 : sample) * time_count + target];
        if (visitor(user, sample, target, time, state) != 0)
          throw Interrupted("the visitor stopped the forecast at sample {}, time {}", sample, time);
      },
      trace);
}

const std::vector<solvers::Step>& steps_of(const cvf_trace* trace, std::size_t sample) {
  const auto& all = required(trace, "trace").trace.outcome.steps;
  if (sample >= all.size()) throw UsageError("sample {} of a forecast of {}", sample, all.size());
  return all[sample];
}

}  // namespace

std::string message_of(const solvers::RowStatus& row_status) {
  if (row_status.status == solvers::Status::done) return "";
  const std::string sentence = solvers::sentence(0, row_status);
  return sentence.substr(sentence.find(": ") + 2);
}

cvf_result result_of(const Trace& trace, std::size_t sample) {
  const auto& o = trace.outcome;
  return result_of(o.counts[sample], o.statuses[sample], o.steps[sample]);
}

}  // namespace cvf::runtime

using namespace cvf::runtime;

cvf_trace::cvf_trace(Model of, Trace how) : model(std::move(of)), trace(std::move(how)) {
  for (const auto& some : trace.outcome.steps) {
    steps.emplace_back();
    for (const auto& s : some) steps.back().push_back({s.time, s.step, s.error});
  }
  for (const auto& row_status : trace.outcome.statuses) messages.push_back(message_of(row_status));
}

int cvf_step(const cvf_model* model, size_t batch, double* states, const double* dt,
             const cvf_conditions* conditions, cvf_result* results) {
  return moved<double>(cvf::runtime::step<double>, model, batch, states, dt, conditions, results);
}
int cvf_step_f32(const cvf_model* model, size_t batch, float* states, const double* dt,
                 const cvf_conditions* conditions, cvf_result* results) {
  return moved<float>(cvf::runtime::step<float>, model, batch, states, dt, conditions, results);
}
int cvf_advance(const cvf_model* model, size_t batch, double* states, const double* dt,
                const cvf_conditions* conditions, cvf_result* results) {
  return moved<double>(cvf::runtime::advance<double>, model, batch, states, dt, conditions, results);
}
int cvf_advance_f32(const cvf_model* model, size_t batch, float* states, const double* dt,
                    const cvf_conditions* conditions, cvf_result* results) {
  return moved<float>(cvf::runtime::advance<float>, model, batch, states, dt, conditions, results);
}

int cvf_nre(const cvf_model* model, size_t batch, const double* states, const double* dt,
            const cvf_conditions* conditions, double* nre) {
  return nre_of(model, batch, states, dt, conditions, nre);
}
int cvf_nre_f32(const cvf_model* model, size_t batch, const float* states, const double* dt,
                const cvf_conditions* conditions, double* nre) {
  return nre_of(model, batch, states, dt, conditions, nre);
}

int cvf_forecast(const cvf_model* model, size_t batch, const double* states, const double* times,
                 size_t time_lists, size_t time_count, const cvf_conditions* conditions, double* forecast,
                 cvf_trace** trace) {
  return forecast_into(model, batch, states, times, time_lists, time_count, conditions, forecast, trace);
}
int cvf_forecast_f32(const cvf_model* model, size_t batch, const float* states, const double* times,
                     size_t time_lists, size_t time_count, const cvf_conditions* conditions, float* forecast,
                     cvf_trace** trace) {
  return forecast_into(model, batch, states, times, time_lists, time_count, conditions, forecast, trace);
}
int cvf_forecast_visit(const cvf_model* model, size_t batch, const double* states, const double* times,
                       size_t time_lists, size_t time_count, const cvf_conditions* conditions,
                       cvf_visit visit, void* user, cvf_trace** trace) {
  return forecast_to(model, batch, states, times, time_lists, time_count, conditions, visit, user, trace);
}
int cvf_forecast_visit_f32(const cvf_model* model, size_t batch, const float* states, const double* times,
                           size_t time_lists, size_t time_count, const cvf_conditions* conditions,
                           cvf_visit_f32 visit, void* user, cvf_trace** trace) {
  return forecast_to(model, batch, states, times, time_lists, time_count, conditions, visit, user, trace);
}

void cvf_trace_free(cvf_trace* trace) {
  delete trace;
}

int cvf_trace_result(const cvf_trace* trace, size_t sample, cvf_result* result) {
  return guarded([&] {
    steps_of(trace, sample);
    required(result, "result") = result_of(trace->trace, sample);
  });
}

int cvf_trace_target(const cvf_trace* trace, size_t sample, size_t target, cvf_result* result) {
  return guarded([&] {
    steps_of(trace, sample);
    const auto frames = trace->trace.frames(sample);
    if (target + 1 >= frames.size())
      throw cvf::UsageError("target {} of a forecast to {}", target, frames.size() - 1);
    const auto& frame = frames[target + 1];
    required(result, "result") = result_of(frame.counts, frame.row_status, frame.steps);
  });
}

const char* cvf_trace_message(const cvf_trace* trace, size_t sample) {
  return trace != nullptr && sample < trace->messages.size() ? trace->messages[sample].c_str() : "";
}

int cvf_trace_steps(const cvf_trace* trace, size_t sample, const cvf_accepted_step** steps, size_t* count) {
  return guarded([&] {
    steps_of(trace, sample);
    required(steps, "steps") = trace->steps[sample].data();
    required(count, "count") = trace->steps[sample].size();
  });
}

int cvf_trace_error_bars(const cvf_trace* trace, size_t sample, double coverage, double* bars) {
  return guarded([&] {
    steps_of(trace, sample);
    if (!(coverage > 0 && coverage < 1)) throw cvf::UsageError("a coverage of {}: give 0 to 1", coverage);
    const auto calibration = calibration_of(trace->model);
    const auto all =
        calibration.bars(calibration.factor(coverage), cvf::metrics::doubts(trace->trace.frames(sample)),
                         trace->trace.times[sample]);
    if (all.size() > 1) std::copy(all.begin() + 1, all.end(), &required(bars, "bars"));
  });
}
