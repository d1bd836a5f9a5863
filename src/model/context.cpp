#include "model/context.hpp"

namespace cvf::model {

using torch::Tensor;

Contexts::Contexts(const ContextSpec& spec, std::vector<SampleContextPointer> samples,
                   const std::vector<std::int64_t>& grid, const torch::TensorOptions& type)
    : spec_(spec), samples_(std::move(samples)), grid_(grid), type_(type) {
  if (spec.empty()) samples_.clear();
  if (samples_.empty()) return;
  const auto cells = static_cast<std::size_t>(c10::multiply_integers(grid));
  const auto rows = static_cast<std::int64_t>(samples_.size());
  const auto width = [](const Scaled& s) { return static_cast<std::int64_t>(s.names.size()); };
  const Tensor numbers = torch::empty({rows, width(spec.parameters)}, torch::kDouble);
  std::vector<std::int64_t> shape{rows, width(spec.statics)};
  shape.insert(shape.end(), grid.begin(), grid.end());
  const Tensor planes = torch::empty(shape);
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const auto& s = samples_[i];
    check_context(spec, s.get(), i, cells);
    std::copy(s->parameters.begin(), s->parameters.end(),
              numbers.data_ptr<double>() + i * s->parameters.size());
    std::copy(s->statics.begin(), s->statics.end(), planes.data_ptr<float>() + i * s->statics.size());
  }
  const auto scaled = [&](const Tensor& values, const Scaled& scale) {
    std::vector<std::int64_t> channels{1, width(scale)};
    channels.resize(static_cast<std::size_t>(values.dim()), 1);
    const auto as = [&](const std::vector<double>& v) {
      return torch::tensor(v, torch::kDouble).view(channels);
    };
    return ((values - as(scale.mean)) / as(scale.deviation)).to(type_);
  };
  if (width(spec.parameters) > 0) fixed_.parameters = scaled(numbers, spec.parameters);
  if (width(spec.statics) > 0) fixed_.statics = scaled(planes, spec.statics);
}

Tensor Contexts::controls_over(const Scaled& scale, std::vector<float> SampleContext::*series,
                               std::span<const std::int64_t> rows, std::span<const double> begin,
                               std::span<const double> dt, const std::vector<std::int64_t>& grid) const {
  const auto count = scale.names.size(), nodes = static_cast<std::size_t>(spec_.nodes);
  const auto cells = static_cast<std::size_t>(c10::multiply_integers(grid));
  std::vector<std::int64_t> shape{static_cast<std::int64_t>(rows.size()), spec_.nodes,
                                  static_cast<std::int64_t>(count)};
  shape.insert(shape.end(), grid.begin(), grid.end());
  const auto fill = [&](auto* to) {
    for (std::size_t k = 0; k < rows.size(); ++k, to += nodes * count * cells) {
      model::controls_over(scale, *samples_[static_cast<std::size_t>(rows[k])], series, spec_.nodes, begin[k],
                           dt[k], cells, to);
    }
  };
  const bool is_double = type_.dtype() == torch::kDouble;
  Tensor out = torch::empty(shape, is_double ? torch::kDouble : torch::kFloat);
  is_double ? fill(out.data_ptr<double>()) : fill(out.data_ptr<float>());
  return out.to(type_);
}

fields::Context Contexts::over(std::span<const std::int64_t> rows, std::span<const double> begin,
                               std::span<const double> dt) const {
  if (samples_.empty()) return {};
  const Tensor which = torch::tensor(std::vector<std::int64_t>(rows.begin(), rows.end()), torch::kLong);
  fields::Context out = fixed_.select(which.to(type_.device()));
  if (!spec_.controls.names.empty())
    out.controls = controls_over(spec_.controls, &SampleContext::controls, rows, begin, dt, {});
  if (!spec_.control_fields.names.empty())
    out.control_fields =
        controls_over(spec_.control_fields, &SampleContext::control_fields, rows, begin, dt, grid_);
  return out;
}

std::vector<double> Contexts::jumps(std::size_t sample) const {
  return model::jumps(*samples_.at(sample));
}

void Contexts::check_covers(std::size_t sample, double from, double to) const {
  model::check_covers(*samples_.at(sample), sample, from, to);
}

}  // namespace cvf::model
