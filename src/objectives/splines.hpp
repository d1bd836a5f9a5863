// Smooth curves through observed frames, at their own and possibly irregular times: the tangents that spline
// methods regress. Both kinds are linear in the frames and known by what they are at the knots, so the work
// is one matrix product; between two knots they are Hermite polynomials of their two ends.
#pragma once

#include "core/torch.hpp"

namespace cvf::objectives {

/// cubic: the C2 spline with not-a-knot ends (2 frames: a line, 3: a parabola), exact for cubics; state
/// O(h^4), velocity O(h^3).
/// quintic: slope and curvature at a knot from the polynomial through the 6 frames around it (all frames if
/// there are fewer), exact for quintics; state O(h^6), velocity O(h^5).
enum class Spline { none, cubic, quintic };

/// Derivatives at the knots as matrices over the frames: slopes = matrix * values.
struct KnotMatrices {
  torch::Tensor slopes, curvatures;  // [B,F,F] double; curvatures of the quintic only
};
KnotMatrices knot_matrices(Spline kind, const torch::Tensor& times);  // times [F,B] double, increasing

struct Knots {
  torch::Tensor times;               // [F,B] double
  torch::Tensor values;              // [F,B,...]
  torch::Tensor slopes, curvatures;  // as the values; curvatures of the quintic only
};

/// times [F,B], values [F,B,...]: B trajectories, each with times of its own.
Knots fit_spline(Spline kind, const torch::Tensor& times, const torch::Tensor& values);

/// A point of a curve: where it is and how fast it moves.
struct CurvePoint {
  torch::Tensor state, velocity;
};

/// At any times [Q,B] -> [Q,B,...]; beyond the ends the last polynomial goes on.
CurvePoint evaluate(const Knots& knots, const torch::Tensor& times);

/// One end of an interval, [R,...]; without a curvature the polynomial is cubic.
struct HermiteEnd {
  torch::Tensor value, slope, curvature;
};

/// The Hermite polynomial of an interval of length h [R] at the fraction w [R] of it.
CurvePoint hermite(const HermiteEnd& left, const HermiteEnd& right, const torch::Tensor& h,
                   const torch::Tensor& w);

}  // namespace cvf::objectives
