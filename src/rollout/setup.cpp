#include "rollout/setup.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "data/derived.hpp"
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

}  // namespace

solvers::Velocity velocity_of(const model::TrainedModel& model, bool conditioned) {
  if (model.field->is_training()) model.field->eval();
  const auto own = options_of(model);
  const auto den = model.normalizer->den();
  std::vector<std::int64_t> shape{1, -1};
  if (!model.field->shape().is_vector()) shape.insert(shape.end(), {1, 1});
  const Tensor factor = den.factor.to(own).view(shape), offset = den.offset.to(own).view(shape);
  return [field = model.field, factor, offset, conditioned](const Tensor& state, const Tensor& dt) {
    const torch::NoGradGuard no_gradients;
    const Tensor shown = (conditioned ? dt : torch::zeros_like(dt)).to(state.device());
    return torch::addcmul(offset, field->forward(state, shown), factor);
  };
}

solvers::Velocity velocity_of(const Setup& setup) {
  auto whole = velocity_of(setup.model, setup.conditioned);
  if (setup.kept == nullptr) return whole;
  constexpr double flops_of_a_portion = 5e10;
  const auto shape = setup.model.field->shape();
  const auto values = shape.channels * (shape.is_vector() ? 1 : shape.height * shape.width);
  const double per_value = std::max(setup.model.field->flops(), 1.0) / static_cast<double>(values);
  return [whole, per_value, kept = setup.kept](const Tensor& state, const Tensor& dt) {
    interrupt::throw_if_requested(kept);
    // The states may lie on a larger grid than the model's own.
    const double row = per_value * static_cast<double>(state.numel()) / static_cast<double>(state.size(0));
    const auto rows = static_cast<std::int64_t>(std::clamp(flops_of_a_portion / row, 1.0, 1e9));
    if (state.size(0) <= rows) return whole(state, dt);
    std::vector<Tensor> portions;
    for (std::int64_t first = 0; first < state.size(0); first += rows) {
      interrupt::throw_if_requested(kept);
      const auto count = std::min(rows, state.size(0) - first);
      portions.push_back(whole(state.narrow(0, first, count), dt.narrow(0, first, count)));
    }
    return torch::cat(portions);
  };
}

void check_fits(const data::Source& source, const model::TrainedModel& model, bool any_spacing) {
  const auto& d = source.description();
  const auto& s = model.recipe.state;
  if (d.channels != s.channels) {
    throw DataError(
        "{}: has the channels {}, but the model was trained on {}; --channels says which of the file's they "
        "are, in this order",
        d.file, text::join(d.channels), text::join(s.channels));
  }
  const std::string wrong = misfit(grid_of(d), model, any_spacing);
  if (!wrong.empty()) {
    const bool only_spacing = misfit(grid_of(d), model, true).empty();
    throw DataError("{}: {}{}", d.file, wrong, only_spacing ? "; --allow-spacing uses it nevertheless" : "");
  }
  const auto here = parse_boundary(d.boundary), trained = parse_boundary(s.boundary);
  if (model.field && model.field->any_grid() && here && trained && *here != *trained) {
    log::warning("{}: has the boundary {}, but the model was trained on {} and pads as it did then", d.file,
                 d.boundary, s.boundary);
  }
}

std::shared_ptr<const data::Source> fitted(std::shared_ptr<const data::Source> source,
                                           const model::TrainedModel& model,
                                           const std::vector<std::string>& channels, bool any_spacing) {
  const auto& wanted = model.recipe.state.channels;
  const auto& d = source->description();
  if (!channels.empty() && channels.size() != wanted.size()) {
    throw UsageError("--channels {}: the model has {} channels, {}: name one of the file's for each",
                     text::join(channels, ","), wanted.size(), text::join(wanted));
  }
  if (!channels.empty()) {
    source = data::renamed(data::with_channels(std::move(source), channels), wanted);
  } else if (d.channels != wanted &&
             std::is_permutation(d.channels.begin(), d.channels.end(), wanted.begin(), wanted.end())) {
    log::note("{}: has the channels {}; they are put into the order of the model, {}", d.file,
              text::join(d.channels), text::join(wanted));
    source = data::with_channels(std::move(source), wanted);
  }
  check_fits(*source, model, any_spacing);
  return source;
}

solvers::Context context_of(const model::TrainedModel& model) {
  return {.delta_min = model.recipe.state.delta_min, .largest_step = model.recipe.state.largest_dt};
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

std::size_t rows_at_once(const Setup& setup, const Tensor& state) {
  const auto rows = static_cast<std::size_t>(std::max<std::int64_t>(state.size(0), 1));
  if (setup.solver.shares_steps()) return rows;
  const std::size_t row_bytes = static_cast<std::size_t>(state.numel()) / rows * state.element_size();
  return std::clamp<std::size_t>(setup.memory / std::max<std::size_t>(100 * row_bytes, 1), 1, 256);
}

}  // namespace cvf::rollout
