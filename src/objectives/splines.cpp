#include "objectives/splines.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "objectives/parts/knot_matrices.hpp"
#include "objectives/scaled_field.hpp"

namespace cvf::objectives {
namespace {

using torch::Tensor;

// matrix [B,F,F] times values [F,B,...], in the dtype of the values
Tensor apply(const Tensor& matrix, const Tensor& values) {
  const Tensor rows = values.flatten(2).transpose(0, 1);  // [B,F,N]
  const Tensor out = torch::matmul(matrix, rows.to(torch::kDouble));
  return out.transpose(0, 1).reshape(values.sizes()).to(values.dtype());
}

// Picks knot `index` [Q,B] of each row from [F,B,...] -> [Q*B,...].
Tensor pick(const Tensor& knots, const Tensor& index) {
  if (!knots.defined()) return {};
  const Tensor row = torch::arange(index.size(1)).expand_as(index);
  return knots.index({index.flatten(), row.flatten()});
}

CurvePoint cubic(const HermiteEnd& a, const HermiteEnd& b, const Tensor& h, const Tensor& w) {
  const Tensor rise = b.value - a.value, v = 1 - w;
  return {a.value + w * w * (3 - 2 * w) * rise + h * w * v * (v * a.slope - w * b.slope),
          6 * w * v * rise / h + v * (1 - 3 * w) * a.slope + w * (3 * w - 2) * b.slope};
}

CurvePoint quintic(const HermiteEnd& a, const HermiteEnd& b, const Tensor& h, const Tensor& w) {
  const Tensor rise = b.value - a.value, w2 = w * w, w3 = w2 * w, v = 1 - w, v2 = v * v;
  const Tensor state = a.value + w3 * (10 - 15 * w + 6 * w2) * rise +
                       h * (w * v2 * v * (1 + 3 * w) * a.slope - w3 * v * (4 - 3 * w) * b.slope) +
                       h * h * 0.5 * (w2 * v2 * v * a.curvature + w3 * v2 * b.curvature);
  const Tensor velocity = 30 * w2 * v2 * rise / h + v2 * (1 + 2 * w - 15 * w2) * a.slope +
                          w2 * (-12 + 28 * w - 15 * w2) * b.slope +
                          h * 0.5 * (w * v2 * (2 - 5 * w) * a.curvature + w2 * v * (3 - 5 * w) * b.curvature);
  return {state, velocity};
}

}  // namespace

KnotMatrices knot_matrices(Spline kind, const Tensor& times) {
  if (times.dim() != 2 || times.size(0) < 2) {
    throw UsageError("a spline needs at least 2 frames, and their times as [frames, rows]");
  }
  if (!(times.diff(1, 0) > 0).all().item<bool>()) throw UsageError("a spline needs times that increase");
  const Tensor t = times.to(torch::kDouble);
  return kind == Spline::quintic ? polynomial_matrices(t) : KnotMatrices{not_a_knot_matrix(t), {}};
}

Knots fit_spline(Spline kind, const Tensor& times, const Tensor& values) {
  const auto matrices = knot_matrices(kind, times);
  Knots out{times, values, apply(matrices.slopes, values), {}};
  if (kind == Spline::quintic) out.curvatures = apply(matrices.curvatures, values);
  return out;
}

CurvePoint hermite(const HermiteEnd& left, const HermiteEnd& right, const Tensor& h, const Tensor& w) {
  const Tensor length = per_row(h, left.value), fraction = per_row(w, left.value);
  return left.curvature.defined() ? quintic(left, right, length, fraction)
                                  : cubic(left, right, length, fraction);
}

CurvePoint evaluate(const Knots& k, const Tensor& times) {
  const Tensor knots = k.times.t().contiguous(), wanted = times.t().contiguous();
  const Tensor right = torch::searchsorted(knots, wanted).t().clamp(1, k.times.size(0) - 1), left = right - 1;
  const Tensor start = pick(k.times, left), h = pick(k.times, right) - start;
  const CurvePoint out = hermite({pick(k.values, left), pick(k.slopes, left), pick(k.curvatures, left)},
                                 {pick(k.values, right), pick(k.slopes, right), pick(k.curvatures, right)}, h,
                                 (times.flatten() - start) / h);
  auto shape = k.values.sizes().vec();
  shape[0] = times.size(0);
  return {out.state.view(shape), out.velocity.view(shape)};
}

}  // namespace cvf::objectives
