// Energy of a field by wave number.
#pragma once

#include "core/torch.hpp"

namespace cvf::metrics {

/// fields [B,C,W] or [B,C,H,W] in double -> [B,C,K]: |Fourier coefficient|^2 added up over the shell around
/// each whole wave number k = 0 .. K-1, K - 1 being half of the shorter side (waves of two cells). k counts
/// waves along the longest side; cells are taken as square. Coefficients are divided by the number of cells,
/// so that a wave a cos(kx) has the energy a^2/2 whatever the grid.
torch::Tensor radial_spectrum(const torch::Tensor& fields);

}  // namespace cvf::metrics
