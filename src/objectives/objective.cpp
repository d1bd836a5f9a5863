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

torch::Tensor cut(const torch::Tensor& t, std::int64_t axis, std::int64_t begin, std::int64_t end) {
  return t.defined() ? t.narrow(axis, begin, end - begin) : t;
}

}  // namespace

Batch Batch::rows(std::int64_t begin, std::int64_t end) const {
  Batch out;
  for (const auto& frame : frames) out.frames.push_back({cut(frame.value, 0, begin, end)});
  out.steps = cut(steps, 1, begin, end);
  for (const auto& slope : slopes) out.slopes.push_back(cut(slope, 0, begin, end));
  for (const auto& curvature : curvatures) out.curvatures.push_back(cut(curvature, 0, begin, end));
  for (const auto& context : contexts) out.contexts.push_back(context.rows(begin, end));
  return out;
}

Draws Draws::rows(std::int64_t begin, std::int64_t end) const {
  return {cut(shares, 1, begin, end), cut(spans, 0, begin, end), cut(points, 0, begin, end), progress};
}

void Losses::add(std::string_view name, double weight, const torch::Tensor& part) {
  const torch::Tensor weighted = weight == 1 ? part : weight * part;
  total = total.defined() ? total + weighted : weighted;
  parts.emplace_back(name, part);
}

Draws Objective::draw(const DrawRange&) const {
  return {};
}

Losses Objective::loss(const ScaledField& field, const Batch& batch, const Draws& draws) const {
  check(batch, needs());
  return evaluate(field, batch, draws);
}

}  // namespace cvf::objectives
