#include "rollout/setup.hpp"

#include <algorithm>
#include <limits>

#include "core/errors.hpp"
#include "core/interrupt.hpp"

namespace cvf::rollout {
namespace {

bool takes(const Model& model, const Sizes& state) {
  const auto shape = model.shape();
  if (shape.is_vector()) return state == Sizes{shape.channels};
  if (state.size() != 3 || state[0] != shape.channels) return false;
  if (state[1] == shape.height && state[2] == shape.width) return true;
  const bool same_dimensions =
      (state[1] == 1) == (shape.height == 1) && (state[2] == 1) == (shape.width == 1);
  return model.facts().any_grid && same_dimensions;
}

void check_shape(const Model& model, const Sizes& state) {
  if (takes(model, state)) return;
  const auto shape = model.shape();
  Sizes wanted{shape.channels};
  if (!shape.is_vector()) wanted.insert(wanted.end(), {shape.height, shape.width});
  throw ModelError("the model takes states of {} (channels, rows, columns), not of {}",
                   fmt::join(wanted, " x "), fmt::join(state, " x "));
}

SampleContexts checked(const Model& model, SampleContexts contexts, std::size_t states) {
  if (model.facts().context.empty()) return {};
  if (contexts.size() != states) {
    throw DataError("the model takes a context for each state, and {} of {} states have one", contexts.size(),
                    states);
  }
  return contexts;
}

// The states may lie on a larger grid than the model's own.
std::size_t rows_in_a_second(const Model& model, std::size_t values) {
  constexpr double most_flops = 5e10;
  const auto shape = model.shape();
  const auto own = shape.channels * (shape.is_vector() ? 1 : shape.height * shape.width);
  const double row = std::max(model.flops(), 1.0) / static_cast<double>(own) * static_cast<double>(values);
  return static_cast<std::size_t>(std::clamp(most_flops / row, 1.0, 1e9));
}

}  // namespace

std::size_t micro_batch_rows(const Setup& setup, const solvers::States& states) {
  if (setup.solver.shares_steps()) return std::max<std::size_t>(states.rows(), 1);
  const std::size_t row_bytes =
      states.values() * (states.type() == solvers::States::Type::float64 ? sizeof(double) : sizeof(float));
  return std::clamp<std::size_t>(setup.memory / std::max<std::size_t>(100 * row_bytes, 1), 1, 256);
}

std::size_t micro_batch_samples(const Setup& setup, const solvers::States& states) {
  return std::max<std::size_t>(
      micro_batch_rows(setup, states) / static_cast<std::size_t>(setup.model->members()), 1);
}

Prepared::Prepared(const Setup& setup, const StateArray& like, SampleContexts contexts)
    : setup_(setup),
      contexts_(checked(*setup.model, std::move(contexts), like.size())),
      members_(static_cast<std::size_t>(setup.model->members())) {
  check_shape(*setup.model, like.state);
  stepping_ = setup.model->on(like.state, contexts_);
  const auto facts = setup.model->facts();
  for (const auto& context : contexts_) {
    breaks_.push_back(
        solvers::passes_targets(setup.solver)
            ? model::breaks(facts.context, *context, {facts.state.delta_min, facts.state.largest_dt})
            : model::jumps(*context));
  }
  together_ = setup.kept != nullptr ? rows_in_a_second(*setup.model, like.rows->values())
                                    : std::numeric_limits<std::size_t>::max();
}

solvers::BatchVelocity Prepared::velocity(std::vector<std::int64_t> rows) const {
  return [this, rows = std::move(rows)](const solvers::BatchQuery& query) {
    const std::size_t count = query.state->rows();
    const auto members = static_cast<std::int64_t>(members_);
    std::vector<std::int64_t> samples(count), which(members_ > 1 ? count : 0);
    std::vector<double> begin(contexts_.empty() ? 0 : count);
    for (std::size_t k = 0; k < count; ++k) {
      const auto row = rows[static_cast<std::size_t>(query.who.sample(k))];
      samples[k] = row / members;
      if (!which.empty()) which[k] = row % members;
      if (!begin.empty()) begin[k] = query.who.time(k);
    }
    return ask({query.state, query.dt, samples, begin, which});
  };
}

Batch Prepared::ask(const Asked& asked) const {
  const auto look = [this] {
    if (setup_.kept != nullptr) interrupt::throw_if_requested(setup_.kept);
  };
  const std::size_t count = asked.state->rows();
  look();
  if (count <= together_) return stepping_->velocity(asked);
  Batch out = asked.state->empty(count);
  for (std::size_t first = 0; first < count; first += together_) {
    look();
    const std::size_t some = std::min(together_, count - first);
    const auto of = [&](auto all) { return all.empty() ? all : all.subspan(first, some); };
    const Batch part = stepping_->velocity({asked.state->narrow(first, some), of(asked.dt), of(asked.samples),
                                            of(asked.begin), of(asked.members)});
    for (std::size_t k = 0; k < some; ++k) out->copy_row(first + k, *part, k);
  }
  return out;
}

void Prepared::check_covers(std::size_t sample, double from, double to) const {
  if (!contexts_.empty()) model::check_covers(*contexts_[sample], sample, from, to);
}

void Prepared::add_breaks(solvers::Schedule& schedule, std::span<const std::int64_t> rows) const {
  if (contexts_.empty()) return;
  for (const auto row : rows) schedule.breaks.push_back(breaks_[static_cast<std::size_t>(row) / members_]);
}

}  // namespace cvf::rollout
