#include "rollout/setup.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "data/derived.hpp"
#include "fields/members.hpp"
#include "rollout/grid.hpp"

namespace cvf::rollout {
namespace {

using torch::Tensor;

torch::TensorOptions options_of(const model::TrainedModel& model) {
  const auto parameters = model.field->parameters();
  const auto options =
      parameters.empty() ? torch::TensorOptions(torch::kDouble) : parameters.front().options();
  return options.requires_grad(false);
}

void check_shape(const model::TrainedModel& model, const Tensor& states) {
  const auto shape = model.field->shape();
  std::vector<std::int64_t> wanted{shape.channels};
  if (!shape.is_vector()) wanted.insert(wanted.end(), {shape.height, shape.width});
  if (model.field->takes(states.sizes())) return;
  throw ModelError("the model takes states of {} (channels, rows, columns), not of {}",
                   fmt::join(wanted, " x "),
                   fmt::join(states.sizes().slice(std::min<std::size_t>(1, states.sizes().size())), " x "));
}

double flops_of_a_value(const model::TrainedModel& model) {
  const auto shape = model.field->shape();
  const auto values = shape.channels * (shape.is_vector() ? 1 : shape.height * shape.width);
  return std::max(model.field->flops(), 1.0) / static_cast<double>(values);
}

// Who asks: the numbers of the rows.
std::vector<std::int64_t> askers(const solvers::Query& query, const std::vector<std::int64_t>& rows) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(query.state.size(0)));
  for (std::size_t k = 0; k < out.size(); ++k) {
    const auto row = query.sample(k);
    out[k] = rows.empty() ? row : rows[static_cast<std::size_t>(row)];
  }
  return out;
}

fields::Context context_of(const model::Contexts& contexts, const std::vector<std::int64_t>& samples,
                           const solvers::Query& query) {
  if (contexts.empty()) return {};
  const Tensor steps = query.dt.to(torch::kCPU, torch::kDouble).contiguous();
  std::vector<double> begin(samples.size());
  for (std::size_t k = 0; k < samples.size(); ++k) begin[k] = query.time(k);
  return contexts.over(samples, begin, {steps.data_ptr<double>(), samples.size()});
}

void check_given(const data::GivenContext& given, const ContextNames& names) {
  for (const auto& [name, value] : given.parameters) {
    if (std::find(names.parameters.begin(), names.parameters.end(), name) != names.parameters.end()) continue;
    if (names.parameters.empty())
      throw UsageError("--parameter {}={}: the model takes no parameters", name, value);
    throw UsageError("--parameter {}={}: the model takes no such parameter{}", name, value,
                     text::suggestion(name, names.parameters));
  }
  if (given.file.empty()) return;
  if (!names.control_fields.empty()) {
    throw UsageError(
        "--controls {}: the model's control '{}' is a field on the grid, which a series does not give",
        given.file, names.control_fields[0]);
  }
  if (names.controls.empty()) throw UsageError("--controls {}: the model takes no controls", given.file);
}

}  // namespace

SampleContexts contexts_of(const data::Source& source, std::span<const std::size_t> samples) {
  SampleContexts out;
  if (source.description().context.empty()) return out;
  for (const auto sample : samples) out.push_back(source.context(sample));
  return out;
}

model::Contexts contexts_for(const model::TrainedModel& model, const SampleContexts& samples,
                             const Tensor& states) {
  if (model.spec.context.empty()) return {};
  if (std::cmp_not_equal(samples.size(), states.size(0))) {
    throw DataError("the model takes a context for each state, and {} of {} states have one", samples.size(),
                    states.size(0));
  }
  const auto grid = states.sizes().slice(2).vec();
  return {model.spec.context, samples, grid, options_of(model)};
}

namespace {

// `members` > 0: rows count members.
solvers::Velocity velocity_of_rows(const Setup& setup, const model::Contexts& contexts,
                                   std::vector<std::int64_t> rows, std::int64_t members) {
  const auto& model = setup.model;
  if (model.field->is_training()) model.field->eval();
  const auto own = options_of(model);
  const auto den = model.normalizer->den();
  std::vector<std::int64_t> shape{1, -1};
  if (!model.field->shape().is_vector()) shape.insert(shape.end(), {1, 1});
  const Tensor factor = den.factor.to(own).view(shape), offset = den.offset.to(own).view(shape);
  const auto evaluate = [field = model.field, factor, offset](const fields::Query& query,
                                                              std::span<const std::int64_t> which) {
    const Tensor psi =
        which.empty() ? field->forward(query) : fields::forward_by_member(*field, query, which);
    return torch::addcmul(offset, psi, factor);
  };
  const auto micro_batch = [per_value = flops_of_a_value(model),
                            hears = setup.kept != nullptr](const Tensor& state) {
    constexpr double most_flops = 5e10;
    if (!hears) return state.size(0);
    // The states may lie on a larger grid than the model's own.
    const double row = per_value * static_cast<double>(state.numel()) / static_cast<double>(state.size(0));
    return static_cast<std::int64_t>(std::clamp(most_flops / row, 1.0, 1e9));
  };
  return [=, &contexts, rows = std::move(rows), kept = setup.kept](const solvers::Query& asked) {
    const torch::NoGradGuard no_gradients;
    if (kept != nullptr) interrupt::throw_if_requested(kept);
    std::vector<std::int64_t> samples, which;
    if (members > 0 || !contexts.empty()) samples = askers(asked, rows);
    for (auto& sample : samples) {
      if (members == 0) break;
      which.push_back(sample % members);
      sample /= members;
    }
    const fields::Query query{asked.state, asked.dt.to(asked.state.device()),
                              context_of(contexts, samples, asked)};
    const auto count = query.state.size(0), together = micro_batch(query.state);
    if (count <= together) return evaluate(query, which);
    std::vector<Tensor> parts;
    for (std::int64_t first = 0; first < count; first += together) {
      interrupt::throw_if_requested(kept);
      const auto end = std::min(first + together, count);
      const auto own = which.empty()
                           ? std::span<const std::int64_t>{}
                           : std::span<const std::int64_t>(which).subspan(
                                 static_cast<std::size_t>(first), static_cast<std::size_t>(end - first));
      parts.push_back(evaluate(
          {query.state.slice(0, first, end), query.dt.slice(0, first, end), query.context.rows(first, end)},
          own));
    }
    return torch::cat(parts);
  };
}

}  // namespace

solvers::Velocity velocity_of(const Setup& setup, const model::Contexts& contexts,
                              std::vector<std::int64_t> rows) {
  return velocity_of_rows(setup, contexts, std::move(rows), 0);
}

solvers::Velocity velocity_by_member(const Setup& setup, const model::Contexts& contexts,
                                     std::vector<std::int64_t> rows) {
  const auto members = setup.model.field->member_count();
  return velocity_of_rows(setup, contexts, std::move(rows), members == 1 ? 0 : members);
}

void check_fits(const data::Source& source, const model::TrainedModel& model, bool any_spacing) {
  const auto& d = source.description();
  const auto& s = model.spec.state;
  if (d.channels() != s.names()) {
    throw DataError(
        "{}: has the channels {}, but the model was trained on {}; --channels says which of the file's they "
        "are, in this order",
        d.file, text::join(d.channels()), text::join(s.names()));
  }
  const std::string wrong = misfit(d.state, model, any_spacing);
  if (!wrong.empty()) {
    const bool only_spacing = misfit(d.state, model, true).empty();
    throw DataError("{}: {}{}", d.file, wrong, only_spacing ? "; --allow-spacing uses it nevertheless" : "");
  }
  if (model.field && model.field->any_grid() && d.state.boundary() != s.boundary()) {
    log::warning("{}: has the boundary {}, but the model was trained on {} and pads as it did then", d.file,
                 d.state.boundary(), s.boundary());
  }
}

std::shared_ptr<const data::Source> fitted(std::shared_ptr<const data::Source> source,
                                           const model::TrainedModel& model,
                                           const std::vector<std::string>& channels, bool any_spacing,
                                           const data::GivenContext& given) {
  const auto wanted = model.spec.state.names();
  check_given(given, model.spec.context.names());
  if (!given.empty() || source->description().context != model.spec.context.names())
    source = data::with_context(std::move(source), context_options(model.spec), given);
  const auto own = source->description().channels();
  if (!channels.empty() && channels.size() != wanted.size()) {
    throw UsageError("--channels {}: the model has {} channels, {}: name one of the file's for each",
                     text::join(channels, ","), wanted.size(), text::join(wanted));
  }
  if (!channels.empty()) {
    source = data::renamed(data::with_channels(std::move(source), channels), wanted);
  } else if (own != wanted && std::is_permutation(own.begin(), own.end(), wanted.begin(), wanted.end())) {
    log::note("{}: has the channels {}; they are put into the order of the model, {}",
              source->description().file, text::join(own), text::join(wanted));
    source = data::with_channels(std::move(source), wanted);
  }
  check_fits(*source, model, any_spacing);
  return source;
}

void warn_of_extrapolation(const data::Source& source, const model::TrainedModel& model,
                           std::span<const std::size_t> samples) {
  if (model.spec.context.parameters.lowest.empty()) return;
  std::string first;
  std::size_t more = 0;
  for (const auto sample : samples) {
    const auto outside = model.spec.context.extrapolation(*source.context(sample));
    if (outside.empty()) continue;
    if (first.empty()) {
      first = fmt::format("sample {}: {}", sample, outside);
    } else {
      ++more;
    }
  }
  if (first.empty()) return;
  log::warning("{}{}: the model extrapolates", first,
               more > 0 ? fmt::format(", and {} more sample{}", more, more > 1 ? "s" : "") : "");
}

data::ContextOptions context_options(const model::ModelSpec& spec) {
  const auto names = spec.context.names();
  data::ContextOptions out{names.parameters, names.statics, names.controls};
  out.controls.insert(out.controls.end(), names.control_fields.begin(), names.control_fields.end());
  return out;
}

solvers::Context context_of(const model::TrainedModel& model,
                            std::shared_ptr<const solvers::StepErrors> step_errors) {
  return {.delta_min = model.spec.state.delta_min,
          .largest_step = model.spec.state.largest_dt,
          .step_errors = std::move(step_errors)};
}

Tensor to_model(const model::TrainedModel& model, const Physical& states) {
  check_shape(model, states.value);
  return model.normalizer->to_model(states).value.to(options_of(model)).contiguous();
}

Physical to_physical(const model::TrainedModel& model, const Tensor& states, std::int64_t leading,
                     const Tensor& like) {
  const Tensor flat = leading > 1 ? states.flatten(0, leading - 1) : states;
  return {model.normalizer->to_physical({flat.to(like.options())}).value.view_as(states)};
}

std::size_t micro_batch_rows(const Setup& setup, const Tensor& state) {
  const auto rows = static_cast<std::size_t>(std::max<std::int64_t>(state.size(0), 1));
  if (setup.solver.shares_steps()) return rows;
  const std::size_t row_bytes = static_cast<std::size_t>(state.numel()) / rows * state.element_size();
  return std::clamp<std::size_t>(setup.memory / std::max<std::size_t>(100 * row_bytes, 1), 1, 256);
}

std::size_t micro_batch_samples(const Setup& setup, const Tensor& state) {
  const auto members = static_cast<std::size_t>(setup.model.field->member_count());
  return std::max<std::size_t>(micro_batch_rows(setup, state) / members, 1);
}

}  // namespace cvf::rollout
