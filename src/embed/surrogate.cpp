#include "embed/surrogate.hpp"

#include <cmath>
#include <limits>

#include "core/errors.hpp"
#include "core/scores.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"
#include "model/grid.hpp"
#include "rollout/grid.hpp"
#include "rollout/setup.hpp"
#include "run/folder.hpp"

namespace cvf::embed {
namespace {

using torch::Tensor;

std::vector<std::string> context_names(const model::ModelSpec& spec) {
  const auto names = spec.context.names();
  std::vector<std::string> out;
  for (const auto* some : {&names.parameters, &names.statics, &names.controls, &names.control_fields})
    out.insert(out.end(), some->begin(), some->end());
  return out;
}

void check_step(double dt) {
  if (!std::isfinite(dt) || dt <= 0) throw UsageError("a step of {}: give a time ahead, above 0", dt);
}

template <class T>
Tensor tensor_of(std::span<T> state, std::vector<std::int64_t> shape) {
  const auto type = sizeof(T) == sizeof(double) ? torch::kDouble : torch::kFloat;
  return torch::from_blob(const_cast<void*>(static_cast<const void*>(state.data())), shape, type);
}

// "took the least step ... at time 0.3 ...": there is one sample, so its number says nothing.
std::string message_of(const solvers::RowStatus& row_status) {
  if (row_status.status == solvers::Status::done) return "";
  const std::string sentence = solvers::sentence(0, row_status);
  return sentence.substr(sentence.find(": ") + 2);
}

AdvanceResult result_of(const solvers::Solution& solution) {
  AdvanceResult out;
  out.reached = solvers::reaches_target(solution.statuses[0].status);
  out.message = message_of(solution.statuses[0]);
  out.evaluations = solution.counts[0].evaluations;
  for (const auto& s : solution.steps[0]) out.steps.push_back({s.time, s.step, s.error});
  return out;
}

}  // namespace

double AdvanceResult::largest_nre() const {
  double worst = std::numeric_limits<double>::quiet_NaN();
  for (const auto& step : steps) worst = std::fmax(worst, step.nre);  // fmax passes over NaN
  return worst;
}

struct Surrogate::Inside {
  run::Folder run;
  solvers::Choice choice = "gcs";
  std::unique_ptr<solvers::Solver> solver, plain;
  model::Contexts contexts;    // of the one state that a host has
  SampleContext context;       // the same, as it was given
  double time = 0;             // of the state, on the clock of the controls
  solvers::Velocity velocity;  // in model units

  StateSpec state;  // of the host, on its own grid
  std::vector<std::string> channels;

  std::vector<std::int64_t> shape() const {
    auto out = state.tensor_sizes();
    out.insert(out.begin(), 1);
    return out;
  }
  std::size_t size() const { return static_cast<std::size_t>(c10::multiply_integers(shape())); }

  template <class T>
  Tensor to_model(std::span<T> values) const {
    if (values.size() != size()) {
      throw UsageError("the state has {} values, but the model takes {} ({} channels{})", values.size(),
                       size(), state.count(Role::state), state.is_vector() ? "" : " on " + state.grid_text());
    }
    return rollout::to_model(run.model, {tensor_of(values, shape())});
  }

  void check_context(double ahead) const {
    if (run.model.spec.context.empty()) return;
    if (contexts.empty()) {
      throw UsageError("the model takes a context ({}): call use_context first",
                       text::join(context_names(run.model.spec)));
    }
    contexts.check_covers(0, time, time + ahead);
  }

  solvers::Problem problem(const Tensor& start, std::vector<double> ahead) const {
    check_context(ahead.empty() ? 0 : ahead.back());
    for (auto& t : ahead) t += time;
    auto out = solvers::common_times(start, time, ahead);
    if (!contexts.empty()) out.breaks.push_back(contexts.jumps(0));
    return out;
  }

  void take_context() {
    if (run.model.spec.context.empty()) return;
    const auto s = shape();
    contexts = model::Contexts(run.model.spec.context, {std::make_shared<const SampleContext>(context)},
                               {s.begin() + 2, s.end()}, run.model.field->parameters().front().options());
  }

  template <class T>
  AdvanceResult move(const solvers::Solver& stepper, std::span<T> state, double dt) const {
    check_step(dt);
    const auto solution =
        integrate(stepper, velocity, problem(to_model(state), {dt}), {.steps = true, .sink = {}});
    const AdvanceResult out = result_of(solution);
    if (!out.reached) return out;
    Tensor mine = tensor_of(state, shape());
    mine.copy_(rollout::to_physical(run.model, solution.states.select(1, 0), 1, mine).value);
    return out;
  }

  template <class T>
  double nre(std::span<T> state, double dt) const {
    check_step(dt);
    check_context(dt);
    const Tensor s = to_model(state), whole = torch::full({1}, dt, torch::kDouble), half = whole / 2;
    const auto ask = [this](const Tensor& at, const Tensor& step, double ahead) {
      const double now[]{time + ahead};
      return velocity({.state = at, .dt = step, .ahead = now});
    };
    const Tensor straight = ask(s, whole, 0), first = ask(s, half, 0);
    const Tensor second = ask(s + dt / 2 * first, half, dt / 2);
    return cvf::nre(((first + second) / 2 - straight).norm().item<double>(), straight.norm().item<double>());
  }
};

Surrogate::Surrogate(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Surrogate::Surrogate(Surrogate&&) noexcept = default;
Surrogate& Surrogate::operator=(Surrogate&&) noexcept = default;
Surrogate::~Surrogate() = default;

Surrogate Surrogate::load(const std::string& folder, const std::vector<std::string>& settings) {
  tensors::prepare();
  auto inside = std::make_unique<Inside>();
  inside->run = run::open(folder);
  inside->state = inside->run.model.spec.state;
  inside->channels = inside->state.names();
  inside->choice = run::solver_for(inside->run, settings);
  const auto context = rollout::context_of(inside->run.model, inside->run.step_errors);
  inside->solver = inside->choice.build(context);
  inside->plain = solvers::make("euler");  // without a context, a step of any length is one step
  inside->velocity =
      rollout::velocity_of({.model = inside->run.model, .solver = *inside->solver}, inside->contexts);
  return Surrogate(std::move(inside));
}

const std::vector<std::string>& Surrogate::channels() const {
  return inside_->channels;
}
std::int64_t Surrogate::ny() const {
  return static_cast<std::int64_t>(inside_->state.size_along("y"));
}
std::int64_t Surrogate::nx() const {
  return static_cast<std::int64_t>(inside_->state.size_along("x"));
}
void Surrogate::use_grid(std::int64_t ny, std::int64_t nx, double dy, double dx) {
  StateSpec wanted = model::on_grid(inside_->run.model.spec.state, ny, nx, dy, dx);
  const std::string wrong = rollout::misfit(wanted, inside_->run.model, dy <= 0 && dx <= 0);
  if (!wrong.empty()) throw UsageError("the state {}", wrong);
  inside_->state = std::move(wanted);
  inside_->contexts = {};
}
void Surrogate::use_context(SampleContext context) {
  if (inside_->run.model.spec.context.empty()) throw UsageError("the model takes no context");
  inside_->context = std::move(context);
  inside_->take_context();
}
void Surrogate::use_time(double time) {
  inside_->time = time;
}
ContextNames Surrogate::context() const {
  return inside_->run.model.spec.context.names();
}
std::size_t Surrogate::state_size() const {
  return inside_->size();
}
double Surrogate::shortest_step() const {
  return inside_->run.model.spec.state.delta_min;
}
double Surrogate::longest_step() const {
  return inside_->run.model.spec.state.largest_dt;
}
const std::string& Surrogate::solver() const {
  return inside_->choice.name;
}

AdvanceResult Surrogate::advance(std::span<double> state, double dt) const {
  return inside_->move(*inside_->solver, state, dt);
}
AdvanceResult Surrogate::advance(std::span<float> state, double dt) const {
  return inside_->move(*inside_->solver, state, dt);
}
AdvanceResult Surrogate::plain_step(std::span<double> state, double dt) const {
  return inside_->move(*inside_->plain, state, dt);
}
AdvanceResult Surrogate::plain_step(std::span<float> state, double dt) const {
  return inside_->move(*inside_->plain, state, dt);
}
double Surrogate::nre(std::span<const double> state, double dt) const {
  return inside_->nre(state, dt);
}
double Surrogate::nre(std::span<const float> state, double dt) const {
  return inside_->nre(state, dt);
}

AdvanceResult Surrogate::forecast(std::span<const double> state, const std::vector<double>& times,
                                  const Visit& visit) const {
  const auto problem = inside_->problem(inside_->to_model(state), times);
  const auto sink = [&](std::int64_t, std::size_t target, const Tensor& reached) {
    const Tensor like = torch::empty({0}, torch::kDouble);
    const Tensor physical = rollout::to_physical(inside_->run.model, reached, 1, like).value.contiguous();
    visit(times[target], {physical.data_ptr<double>(), inside_->size()});
  };
  return result_of(integrate(*inside_->solver, inside_->velocity, problem, {.steps = true, .sink = sink}));
}

void use_threads(int count) {
  tensors::prepare();
  threads::use(count);
}

}  // namespace cvf::embed
