// The C interface: states through time.
#include <algorithm>
#include <limits>

#include "runtime/c/handles.hpp"
#include "runtime/stop.hpp"

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
struct Arrays {  // [batch][time_count][state_values]
  T *forecast, *spread = nullptr;
};

template <class T>
int forecast_into(const cvf_model* model, std::size_t batch, const T* states, const double* times,
                  std::size_t time_lists, std::size_t time_count, const cvf_conditions* conditions,
                  Arrays<T> out, cvf_trace** trace) noexcept {
  const int code = guarded([&] {
    if (trace != nullptr) *trace = nullptr;
    const Model& loaded = required(model, "model").model;
    const std::size_t count = loaded.values() * time_count * batch;
    const auto nowhere = std::numeric_limits<T>::quiet_NaN();
    if (out.spread != nullptr && loaded.members() == 1)
      throw UsageError("spread: the model has one member, so there is no spread of members");
    if (count > 0) std::fill_n(&required(out.forecast, "forecast"), count, nowhere);
    if (count > 0 && out.spread != nullptr) std::fill_n(out.spread, count, nowhere);
  });
  if (code != CVF_OK) return code;
  const std::size_t values = model->model.values();
  return forecast_of<T>(
      model, batch, states, times, time_lists, time_count, conditions,
      [&](std::size_t sample, std::size_t target, const T* state, const T* spread) {
        const std::size_t place = (sample * time_count + target) * values;
        std::copy_n(state, values, out.forecast + place);
        if (out.spread != nullptr) std::copy_n(spread, values, out.spread + place);
      },
      trace);
}

// `call` takes what a visitor of one kind or another is given.
template <class T, class Visitor, class Call>
int forecast_to(const cvf_model* model, std::size_t batch, const T* states, const double* times,
                std::size_t time_lists, std::size_t time_count, const cvf_conditions* conditions,
                Visitor visitor, const Call& call, cvf_trace** trace) noexcept {
  if (visitor == nullptr) return failed(CVF_USAGE, "visit is NULL");
  return forecast_of<T>(
      model, batch, states, times, time_lists, time_count, conditions,
      [&](std::size_t sample, std::size_t target, const T* state, const T* spread) {
        const double time = times[(time_lists == 1 ? 0 : sample) * time_count + target];
        if (call(sample, target, time, state, spread) != 0)
          throw Interrupted("the visitor stopped the forecast at sample {}, time {}", sample, time);
      },
      trace);
}

template <class Visitor>
auto without_spread(Visitor visit, void* user) {
  return [=](std::size_t sample, std::size_t target, double time, const auto* state, const auto*) {
    return visit(user, sample, target, time, state);
  };
}
template <class Visitor>
auto with_spread(Visitor visit, void* user) {
  return [=](std::size_t sample, std::size_t target, double time, const auto* state, const auto* spread) {
    return visit(user, sample, target, time, state, spread);
  };
}

}  // namespace
}  // namespace cvf::runtime

using namespace cvf::runtime;

void cvf_set_stop(cvf_stop stop, void* user) {
  set_stop(stop, user);
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
  return forecast_into<double>(model, batch, states, times, time_lists, time_count, conditions, {forecast},
                               trace);
}
int cvf_forecast_f32(const cvf_model* model, size_t batch, const float* states, const double* times,
                     size_t time_lists, size_t time_count, const cvf_conditions* conditions, float* forecast,
                     cvf_trace** trace) {
  return forecast_into<float>(model, batch, states, times, time_lists, time_count, conditions, {forecast},
                              trace);
}
int cvf_forecast_spread(const cvf_model* model, size_t batch, const double* states, const double* times,
                        size_t time_lists, size_t time_count, const cvf_conditions* conditions,
                        double* forecast, double* spread, cvf_trace** trace) {
  return forecast_into<double>(model, batch, states, times, time_lists, time_count, conditions,
                               {forecast, spread}, trace);
}
int cvf_forecast_spread_f32(const cvf_model* model, size_t batch, const float* states, const double* times,
                            size_t time_lists, size_t time_count, const cvf_conditions* conditions,
                            float* forecast, float* spread, cvf_trace** trace) {
  return forecast_into<float>(model, batch, states, times, time_lists, time_count, conditions,
                              {forecast, spread}, trace);
}

int cvf_forecast_visit(const cvf_model* model, size_t batch, const double* states, const double* times,
                       size_t time_lists, size_t time_count, const cvf_conditions* conditions,
                       cvf_visit visit, void* user, cvf_trace** trace) {
  return forecast_to(model, batch, states, times, time_lists, time_count, conditions, visit,
                     without_spread(visit, user), trace);
}
int cvf_forecast_visit_f32(const cvf_model* model, size_t batch, const float* states, const double* times,
                           size_t time_lists, size_t time_count, const cvf_conditions* conditions,
                           cvf_visit_f32 visit, void* user, cvf_trace** trace) {
  return forecast_to(model, batch, states, times, time_lists, time_count, conditions, visit,
                     without_spread(visit, user), trace);
}
int cvf_forecast_visit_spread(const cvf_model* model, size_t batch, const double* states, const double* times,
                              size_t time_lists, size_t time_count, const cvf_conditions* conditions,
                              cvf_visit_spread visit, void* user, cvf_trace** trace) {
  return forecast_to(model, batch, states, times, time_lists, time_count, conditions, visit,
                     with_spread(visit, user), trace);
}
int cvf_forecast_visit_spread_f32(const cvf_model* model, size_t batch, const float* states,
                                  const double* times, size_t time_lists, size_t time_count,
                                  const cvf_conditions* conditions, cvf_visit_spread_f32 visit, void* user,
                                  cvf_trace** trace) {
  return forecast_to(model, batch, states, times, time_lists, time_count, conditions, visit,
                     with_spread(visit, user), trace);
}
