#include "rollout/setup.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
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

void check_fits(const data::Source& source, const model::TrainedModel& model, bool any_spacing) {
  const auto& d = source.description();
  const auto& s = model.recipe.state;
  if (d.channels.size() != s.channels.size()) {
    throw DataError("{}: has the channels {}, but the model was trained on {}", d.file,
                    text::join(d.channels), text::join(s.channels));
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
