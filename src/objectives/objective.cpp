#include "objectives/objective.hpp"

#include "core/errors.hpp"

namespace cvf::objectives {
namespace {

void check(const Batch& batch, const Needs& needs) {
  if (std::cmp_less(batch.frames.size(), needs.frames) || batch.steps.size(0) < needs.frames - 1) {
    throw UsageError("this objective needs {} frames a row and the steps between them; the batch has {}",
                     needs.frames, batch.frames.size());
  }
  if (needs.spline != Spline::none && batch.slopes.size() < 2) {
    throw UsageError("this objective needs spline slopes at both ends of the interval; the batch has none");
  }
  if (needs.spline == Spline::quintic && batch.curvatures.size() < 2) {
    throw UsageError("this objective needs the curvatures of a quintic spline; the batch has none");
  }
}

}  // namespace

void Losses::add(std::string_view name, double weight, const torch::Tensor& part) {
  const torch::Tensor weighted = weight == 1 ? part : weight * part;
  total = total.defined() ? total + weighted : weighted;
  parts.emplace_back(name, part);
}

Draws Objective::draw(const DrawRange&) const {
  return {};
}

Losses Objective::loss(const View& view, const Batch& batch, const Draws& draws) const {
  check(batch, needs());
  return evaluate(view, batch, draws);
}

}  // namespace cvf::objectives
