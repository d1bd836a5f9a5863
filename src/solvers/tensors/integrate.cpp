#include "solvers/tensors/integrate.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"

namespace cvf::solvers {
namespace {

using torch::Tensor;

// Between the solvers' batches and a velocity of tensors.
class Adapter {
 public:
  explicit Adapter(const Velocity& velocity) : velocity_(velocity) {}

  Batch operator()(const BatchQuery& query) {
    const Tensor& states = tensor_of(*query.state);
    const auto& [rows, askers, share, ahead] = query.who;
    return tensor_states(
        checked(velocity_(Query{states, steps_of(query.dt, states), rows, askers, share, ahead}), states));
  }

 private:
  Tensor steps_of(std::span<const double> dt, const Tensor& states) {
    if (dt.empty()) {
      if (!zeros_.defined() || zeros_.size(0) != states.size(0))
        zeros_ = torch::zeros({states.size(0)}, torch::kDouble);
      return zeros_;
    }
    Tensor steps = torch::empty({static_cast<std::int64_t>(dt.size())}, torch::kDouble);
    std::copy(dt.begin(), dt.end(), steps.data_ptr<double>());
    return steps;
  }

  static Tensor checked(Tensor answer, const Tensor& states) {
    if (!answer.defined() || !answer.sizes().equals(states.sizes())) {
      throw UsageError("a velocity must be shaped as the states that it was asked for");
    }
    if (answer.scalar_type() != states.scalar_type() || answer.device() != states.device()) {
      answer = answer.to(states.options());
    }
    // A field that answers with its own argument must not see it change when the next stage is built there.
    return answer.is_alias_of(states) ? answer.clone() : answer.contiguous();
  }

  const Velocity& velocity_;
  Tensor zeros_;  // kept between calls: a step of an easy problem takes microseconds
};

}  // namespace

void Problem::check() const {
  if (!start.defined() || start.dim() < 2 || !start.is_floating_point()) {
    throw UsageError("a start must be floating-point states [B,...], one row for each sample");
  }
  check_start(*tensor_states(start.contiguous()), schedule());
}

Problem common_times(const torch::Tensor& start, double start_time, const std::vector<double>& targets) {
  const auto count = static_cast<std::size_t>(start.size(0));
  return {start, std::vector<double>(count, start_time), std::vector(count, targets)};
}

Problem ragged_times(const torch::Tensor& start, const torch::Tensor& times) {
  if (times.dim() != 2 || times.size(0) != start.size(0) || times.size(1) < 1) {
    throw UsageError("times must be [B,T], a row for each of the {} states", start.size(0));
  }
  Problem out{start, {}, {}};
  const torch::Tensor host = times.to(torch::kCPU, torch::kDouble).contiguous();
  const auto width = static_cast<std::size_t>(host.size(1));
  for (std::int64_t i = 0; i < host.size(0); ++i) {
    const double* first = host.data_ptr<double>() + i * host.size(1);
    const double* end = std::find_if(first, first + width, [](double t) { return std::isnan(t); });
    out.start_times.push_back(*first);
    out.targets.emplace_back(first == end ? end : first + 1, end);
  }
  return out;
}

Solution integrate(const Solver& solver, const Velocity& velocity, const Problem& problem,
                   const IntegrateOptions& options) {
  const torch::NoGradGuard no_gradients;
  problem.check();
  const Schedule schedule = problem.schedule();
  Solution out;
  Batch kept;  // [B*T,...], the same memory as the solution's
  if (!options.sink) {
    auto shape = problem.start.sizes().vec();
    shape.insert(shape.begin() + 1, static_cast<std::int64_t>(schedule.most_targets()));
    out.states = torch::full(shape, NAN, problem.start.options().requires_grad(false));
    kept = tensor_states(out.states.flatten(0, 1));
  }
  const auto take = [&, most = schedule.most_targets()](std::int64_t sample, std::size_t target,
                                                        const States& states, std::size_t row) {
    if (kept == nullptr)
      return options.sink(sample, target, tensor_of(states).narrow(0, static_cast<std::int64_t>(row), 1));
    kept->copy_row(static_cast<std::size_t>(sample) * most + target, states, row);
  };
  static_cast<Outcome&>(out) =
      integrate(solver, Adapter(velocity), tensor_states(problem.start.detach().contiguous()), schedule, take,
                {.steps = options.steps, .max_steps = options.max_steps});
  return out;
}

}  // namespace cvf::solvers
