// The derivatives of a spline at its knots, as matrices over the frames.
#pragma once

#include "objectives/splines.hpp"

namespace cvf::objectives {

/// times [F,B] -> slopes of the not-a-knot cubic spline [B,F,F]
torch::Tensor not_a_knot_matrix(const torch::Tensor& times);

/// Slopes and curvatures of the polynomials through the frames around each knot.
KnotMatrices polynomial_matrices(const torch::Tensor& times);

}  // namespace cvf::objectives
