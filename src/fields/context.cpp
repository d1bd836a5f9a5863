#include "fields/context.hpp"

namespace cvf::fields {
namespace {

using torch::Tensor;
using Member = Tensor Context::*;

constexpr Member members[]{&Context::parameters, &Context::statics, &Context::controls,
                           &Context::control_fields};

template <class Function>
Context each(const Context& context, const Function& function) {
  Context out;
  for (const Member member : members) {
    if ((context.*member).defined()) out.*member = function(context.*member);
  }
  return out;
}

// The value of Lagrange's polynomial j of the nodes 0, 1/(count-1), ..., 1 at x.
Tensor lagrange(std::int64_t j, std::int64_t count, const Tensor& x) {
  Tensor out = torch::ones_like(x);
  const double spacing = 1.0 / static_cast<double>(count - 1);
  for (std::int64_t m = 0; m < count; ++m) {
    if (m == j) continue;
    out = out * (x - static_cast<double>(m) * spacing) / (static_cast<double>(j - m) * spacing);
  }
  return out;
}

}  // namespace

Context Context::rows(std::int64_t begin, std::int64_t end) const {
  return each(*this, [=](const Tensor& t) { return t.slice(0, begin, end); });
}

Context Context::select(const Tensor& rows) const {
  return each(*this, [&](const Tensor& t) { return t.index_select(0, rows); });
}

Context Context::cat(const std::vector<Context>& all) {
  Context out;
  for (const Member member : members) {
    std::vector<Tensor> parts;
    for (const auto& context : all) {
      if ((context.*member).defined()) parts.push_back(context.*member);
    }
    if (!parts.empty()) out.*member = torch::cat(parts);
  }
  return out;
}

Tensor Context::conditions() const {
  if (!controls.defined()) return parameters;
  return parameters.defined() ? torch::cat({parameters, controls.flatten(1)}, 1) : controls.flatten(1);
}

Tensor Context::beside() const {
  if (!control_fields.defined()) return statics;
  const Tensor moving = control_fields.flatten(1, 2);
  return statics.defined() ? torch::cat({statics, moving}, 1) : moving;
}

Tensor at_part(const Tensor& values, const Tensor& begin, const Tensor& end) {
  const auto nodes = values.size(1);
  if (nodes == 1) return values;
  const Tensor low = begin.to(torch::kDouble), length = end.to(torch::kDouble) - low;
  std::vector<Tensor> rows;  // of the map, one for each new node
  for (std::int64_t i = 0; i < nodes; ++i) {
    const Tensor x = low + length * (static_cast<double>(i) / static_cast<double>(nodes - 1));
    std::vector<Tensor> weights;
    for (std::int64_t j = 0; j < nodes; ++j) weights.push_back(lagrange(j, nodes, x));
    rows.push_back(torch::stack(weights, 1));
  }
  const Tensor map = torch::stack(rows, 1).to(values.options());  // [R,K,K]
  return torch::bmm(map, values.flatten(2)).view_as(values);
}

Context Interval::part(const Tensor& begin, const Tensor& end) const {
  if (!context.has_controls()) return context;
  const Tensor from = begin / length, to = end / length;
  Context out = context;
  if (context.controls.defined()) out.controls = at_part(context.controls, from, to);
  if (context.control_fields.defined()) out.control_fields = at_part(context.control_fields, from, to);
  return out;
}

}  // namespace cvf::fields
