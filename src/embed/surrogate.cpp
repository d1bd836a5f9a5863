#include "embed/surrogate.hpp"

#include <atomic>
#include <cmath>
#include <limits>

#include "core/errors.hpp"
#include "core/threads.hpp"
#include "runtime/forecast.hpp"

namespace cvf::embed {
namespace {

std::atomic<int> threads_of_a_call{1};

AdvanceResult result_of(const runtime::Trace& trace) {
  const auto& outcome = trace.outcome;
  AdvanceResult out;
  out.reached = solvers::reaches_target(outcome.statuses[0].status);
  out.message = trace.message(0);
  out.evaluations = outcome.counts[0].evaluations;
  for (const auto& s : outcome.steps[0]) out.steps.push_back({s.time, s.step, s.error});
  return out;
}

}  // namespace

double AdvanceResult::largest_nre() const {
  double worst = std::numeric_limits<double>::quiet_NaN();
  for (const auto& step : steps) worst = std::fmax(worst, step.nre);  // fmax passes over NaN
  return worst;
}

struct Surrogate::Inside {
  runtime::Model model;  // on the host's grid
  std::vector<std::string> channels;
  runtime::Conditions conditions{.contexts = {}, .start_times = {0.0}};

  void check_size(std::size_t values) const {
    if (values == model.values()) return;
    const StateSpec& state = model.state();
    throw UsageError("the state has {} values, but the model takes {} ({} channels{})", values,
                     model.values(), model.channels(), state.is_vector() ? "" : " on " + state.grid_text());
  }

  template <class T>
  AdvanceResult advance(std::span<T> state, double dt) const {
    check_size(state.size());
    return result_of(runtime::advance(model, state.data(), 1, {&dt, 1}, conditions, threads_of_a_call));
  }
  template <class T>
  AdvanceResult plain_step(std::span<T> state, double dt) const {
    check_size(state.size());
    return result_of(runtime::step(model, state.data(), 1, {&dt, 1}, conditions, threads_of_a_call));
  }
  template <class T>
  double nre(std::span<const T> state, double dt) const {
    check_size(state.size());
    return runtime::nre(model, state.data(), 1, {&dt, 1}, conditions, threads_of_a_call)[0];
  }
};

Surrogate::Surrogate(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Surrogate::Surrogate(Surrogate&&) noexcept = default;
Surrogate& Surrogate::operator=(Surrogate&&) noexcept = default;
Surrogate::~Surrogate() = default;

Surrogate Surrogate::load(const std::string& folder, const std::vector<std::string>& settings) {
  auto model = runtime::Model::load(folder, settings);
  auto channels = model.state().names();
  return Surrogate(std::make_unique<Inside>(Inside{std::move(model), std::move(channels)}));
}

const std::vector<std::string>& Surrogate::channels() const {
  return inside_->channels;
}
std::int64_t Surrogate::ny() const {
  return static_cast<std::int64_t>(inside_->model.state().size_along("y"));
}
std::int64_t Surrogate::nx() const {
  return static_cast<std::int64_t>(inside_->model.state().size_along("x"));
}
void Surrogate::use_grid(std::int64_t ny, std::int64_t nx, double dy, double dx) {
  inside_->model = inside_->model.on_grid(ny, nx, dy, dx);
  inside_->conditions.contexts.clear();
}
void Surrogate::use_context(SampleContext context) {
  std::vector contexts{std::make_shared<const SampleContext>(std::move(context))};
  runtime::Contexts(inside_->model, {contexts.begin(), contexts.end()}, 1);  // says what does not fit
  inside_->conditions.contexts = {contexts.begin(), contexts.end()};
}
void Surrogate::use_time(double time) {
  inside_->conditions.start_times = {time};
}
ContextNames Surrogate::context() const {
  return inside_->model.spec().context.names();
}
std::size_t Surrogate::state_size() const {
  return inside_->model.values();
}
std::size_t Surrogate::members() const {
  return inside_->model.members();
}
double Surrogate::shortest_step() const {
  return inside_->model.spec().state.delta_min;
}
double Surrogate::longest_step() const {
  return inside_->model.spec().state.largest_dt;
}
const std::string& Surrogate::solver() const {
  return inside_->model.solver_choice().name;
}

AdvanceResult Surrogate::advance(std::span<double> state, double dt) const {
  return inside_->advance(state, dt);
}
AdvanceResult Surrogate::advance(std::span<float> state, double dt) const {
  return inside_->advance(state, dt);
}
AdvanceResult Surrogate::plain_step(std::span<double> state, double dt) const {
  return inside_->plain_step(state, dt);
}
AdvanceResult Surrogate::plain_step(std::span<float> state, double dt) const {
  return inside_->plain_step(state, dt);
}
double Surrogate::nre(std::span<const double> state, double dt) const {
  return inside_->nre(state, dt);
}
double Surrogate::nre(std::span<const float> state, double dt) const {
  return inside_->nre(state, dt);
}

AdvanceResult Surrogate::forecast(std::span<const double> state, const std::vector<double>& times,
                                  const Visit& visit) const {
  return forecast(state, times,
                  [&visit](double time, std::span<const double> reached, std::span<const double> /*spread*/) {
                    visit(time, reached);
                  });
}

AdvanceResult Surrogate::forecast(std::span<const double> state, const std::vector<double>& times,
                                  const VisitSpread& visit) const {
  inside_->check_size(state.size());
  const double start = inside_->conditions.start_times[0];
  std::vector<double> clock;
  for (const double time : times) clock.push_back(start + time);
  return result_of(runtime::forecast<double>(
      inside_->model, state.data(), 1, {clock}, inside_->conditions, threads_of_a_call,
      [&](std::size_t, std::size_t target, const double* reached, const double* spread) {
        visit(times[target], {reached, state.size()}, {spread, spread != nullptr ? state.size() : 0});
      }));
}

void use_threads(int count) {
  threads_of_a_call = count > 0 ? count : threads::available();
}

}  // namespace cvf::embed
