#include "objectives/splines.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "objectives/scaled_field.hpp"

namespace cvf::objectives {
namespace {

using torch::Tensor;
using torch::indexing::Slice;

// left * slopes = right * values, both [B,F,F]; filled equation by equation for all rows at once.
struct System {
  Tensor left, right, h;  // h [F-1,B]

  explicit System(const Tensor& times)
      : left(torch::zeros({times.size(1), times.size(0), times.size(0)}, torch::kDouble)),
        right(torch::zeros_like(left)),
        h(times.diff(1, 0)) {}

  void slope(std::int64_t equation, std::int64_t knot, const Tensor& weight) {
    left.index_put_({Slice(), equation, knot}, weight);
  }
  // weight * d_i, d_i = (y_{i+1} - y_i)/h_i
  void secant(std::int64_t equation, std::int64_t i, const Tensor& weight) {
    right.index({Slice(), equation, i}) -= weight / h[i];
    right.index({Slice(), equation, i + 1}) += weight / h[i];
  }
};

// h_i m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_{i-1} m_{i+1} = 3 (h_i d_{i-1} + h_{i-1} d_i): y'' is continuous
void continuous_curvature(System& system, std::int64_t i) {
  const Tensor before = system.h[i - 1], after = system.h[i];
  system.slope(i, i - 1, after);
  system.slope(i, i, 2 * (before + after));
  system.slope(i, i + 1, before);
  system.secant(i, i - 1, 3 * after);
  system.secant(i, i, 3 * before);
}

// At an end with outer interval a and inner interval b, outer knot first:
//   b m_0 + (a + b) m_1 = ((3 a + 2 b) b d_0 + a^2 d_1)/(a + b): y''' is continuous at knot 1.
// With three frames both ends would say the same, so they say "a parabola": m_0 + m_1 = 2 d_0.
void end(System& system, std::int64_t outer, std::int64_t direction) {
  const std::int64_t frames = system.left.size(1), first = direction > 0 ? outer : outer - 1;
  const Tensor a = system.h[first], one = torch::ones_like(a);
  if (frames == 3) {
    system.slope(outer, outer, one);
    system.slope(outer, outer + direction, one);
    return system.secant(outer, first, 2 * one);
  }
  const Tensor b = system.h[first + direction];
  system.slope(outer, outer, b);
  system.slope(outer, outer + direction, a + b);
  system.secant(outer, first, (3 * a + 2 * b) * b / (a + b));
  system.secant(outer, first + direction, a * a / (a + b));
}

constexpr std::int64_t stencil = 6;  // frames behind one polynomial: exact for quintics

// The frames behind the knot's polynomial: 2 before it and 3 after, moved inside at the ends.
std::int64_t first_of_stencil(std::int64_t knot, std::int64_t frames, std::int64_t size) {
  return std::clamp<std::int64_t>(knot - 2, 0, frames - size);
}

// Weights of the first two derivatives at `knot` for the frames of its stencil, [B,size,2]:
// sum_j w_j ((t_j - t)/scale)^n / n! = 1 where n is the derivative, else 0.
Tensor derivative_weights(const Tensor& nodes, const Tensor& at) {  // [size,B], [B]
  const auto size = nodes.size(0);
  const Tensor scale = nodes[size - 1] - nodes[0];
  const Tensor x = ((nodes - at) / scale).t();  // [B,size]
  std::vector<Tensor> powers{torch::ones_like(x)};
  for (std::int64_t n = 1; n < size; ++n) powers.push_back(powers.back() * x / static_cast<double>(n));
  Tensor wanted = torch::zeros({nodes.size(1), size, 2}, torch::kDouble);
  wanted.index_put_({Slice(), 1, 0}, 1 / scale);
  if (size > 2) wanted.index_put_({Slice(), 2, 1}, 1 / scale.square());
  return torch::linalg_solve(torch::stack(powers, 1), wanted);
}

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

Tensor not_a_knot_matrix(const Tensor& times) {
  System system(times);
  const auto frames = times.size(0);
  if (frames == 2) {  // a line
    const Tensor one = torch::ones_like(system.h[0]);
    for (std::int64_t i = 0; i < 2; ++i) {
      system.slope(i, i, one);
      system.secant(i, 0, one);
    }
  } else {
    end(system, 0, +1);
    for (std::int64_t i = 1; i + 1 < frames; ++i) continuous_curvature(system, i);
    end(system, frames - 1, -1);
  }
  return torch::linalg_solve(system.left, system.right);
}

KnotMatrices polynomial_matrices(const Tensor& times) {
  const auto frames = times.size(0), size = std::min(stencil, frames);
  KnotMatrices out{torch::zeros({times.size(1), frames, frames}, torch::kDouble), {}};
  out.curvatures = torch::zeros_like(out.slopes);
  for (std::int64_t knot = 0; knot < frames; ++knot) {
    const auto first = first_of_stencil(knot, frames, size);
    const Tensor weights = derivative_weights(times.narrow(0, first, size), times[knot]);
    out.slopes.select(1, knot).narrow(1, first, size).copy_(weights.select(2, 0));
    out.curvatures.select(1, knot).narrow(1, first, size).copy_(weights.select(2, 1));
  }
  return out;
}

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
