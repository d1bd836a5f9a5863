#include "fields/field.hpp"

#include "core/errors.hpp"
#include "fields/conv.hpp"
#include "fields/mlp.hpp"
#include "fields/sit.hpp"

namespace cvf::fields {
namespace {

std::string words(c10::IntArrayRef sizes) {
  std::string out;
  for (const auto size : sizes) out += fmt::format("{}{}", out.empty() ? "" : "x", size);
  return "[" + out + "]";
}

std::string words(const StateShape& s) {
  return s.is_vector() ? fmt::format("{}", s.channels)
                       : fmt::format("{}x{}x{}", s.channels, s.height, s.width);
}

}  // namespace

std::int64_t VelocityField::parameter_count() const {
  std::int64_t count = 0;
  for (const auto& p : parameters()) count += p.numel();
  return count;
}

bool VelocityField::takes(c10::IntArrayRef sizes) const {
  if (shape_.is_vector()) return sizes.size() == 2 && sizes[1] == shape_.channels;
  if (sizes.size() != 4 || sizes[1] != shape_.channels) return false;
  if (sizes[2] == shape_.height && sizes[3] == shape_.width) return true;
  const bool same_dimensions =
      (sizes[2] == 1) == (shape_.height == 1) && (sizes[3] == 1) == (shape_.width == 1);
  return any_grid() && same_dimensions;
}

void VelocityField::check(const Query& query) const {
  const auto& [state, dt, context] = query;
  const auto sizes = state.sizes();
  if (!takes(sizes)) {
    throw ModelError("this field takes states of [Bx{}]{}, not {}", words(shape_),
                     any_grid() ? " or on another grid" : "", words(sizes));
  }
  if (dt.dim() != 1 || dt.size(0) != sizes[0]) {
    throw ModelError("a field takes one step for each of the {} states, not steps of shape {}", sizes[0],
                     words(dt.sizes()));
  }
  check_context(context, sizes[0]);
}

void VelocityField::check_context(const Context& context, std::int64_t rows) const {
  const auto one = [rows](const char* name, const torch::Tensor& given, std::int64_t axis,
                          std::int64_t wanted) {
    const auto has = given.defined() ? given.size(axis) : 0;
    if (has != wanted) {
      throw ModelError("this field takes {} {} for each state, not {}", wanted, name, has);
    }
    if (has > 0 && given.size(0) != rows) {
      throw ModelError("{} states have the {} of {}", rows, name, given.size(0));
    }
  };
  one("parameters", context.parameters, 1, shape_.parameters);
  one("static fields", context.statics, 1, shape_.statics);
  one("controls", context.controls, 2, shape_.controls);
  one("control fields", context.control_fields, 2, shape_.control_fields);
  for (const auto& given : {context.controls, context.control_fields}) {
    if (given.defined() && given.size(1) != shape_.nodes) {
      throw ModelError("this field sees controls at {} nodes of a step, not at {}", shape_.nodes,
                       given.size(1));
    }
  }
}

torch::Tensor VelocityField::with_beside(const Query& query) {
  const torch::Tensor beside = query.context.beside();
  return beside.defined() ? torch::cat({query.state, beside}, 1) : query.state;
}

std::string summary(std::string_view name, const VelocityField& field) {
  return fmt::format("{} for {}: {} parameters, {:.4g} MFLOP an evaluation", name, words(field.shape()),
                     field.parameter_count(), field.flops() * 1e-6);
}

std::span<const Row> registry() {
  static const std::vector<Row> rows{
      {"conv", "dilated residual convolutions, conditioned on the step (fields on a grid of any size)",
       settings_of<Conv>},
      {"sit", "transformer over patches, conditioned on the step (fields on a grid)", settings_of<Sit>},
      {"mlp", "residual network, conditioned on the step (small vector states)", settings_of<Mlp>},
  };
  return rows;
}

}  // namespace cvf::fields
