#include "fields/field.hpp"

#include "core/errors.hpp"

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

void VelocityField::check(const torch::Tensor& state, const torch::Tensor& dt) const {
  const auto sizes = state.sizes();
  if (!takes(sizes)) {
    throw ModelError("this field takes states of [Bx{}]{}, not {}", words(shape_),
                     any_grid() ? " or on another grid" : "", words(sizes));
  }
  if (dt.dim() != 1 || dt.size(0) != sizes[0]) {
    throw ModelError("a field takes one step for each of the {} states, not steps of shape {}", sizes[0],
                     words(dt.sizes()));
  }
}

std::string summary(std::string_view name, const VelocityField& field) {
  return fmt::format("{} for {}: {} parameters, {:.4g} MFLOP an evaluation", name, words(field.shape()),
                     field.parameter_count(), field.flops() * 1e-6);
}

}  // namespace cvf::fields
