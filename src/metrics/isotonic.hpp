// Least squares under the condition that nothing falls: a curve that rises with its argument, a surface that
// rises with both of its arguments.
#pragma once

#include <span>
#include <vector>

namespace cvf::metrics {

/// The rising numbers that are nearest to `values`, each square counting with its weight (> 0): pool adjacent
/// violators.
std::vector<double> isotonic(std::span<const double> values, std::span<const double> weights);

/// The same for a table of `rows` times `columns`, row by row, that rises along its rows and along its
/// columns (Dykstra's projections, first on the one, then on the other). Cells without weight are filled in
/// from the others.
std::vector<double> isotonic_table(std::span<const double> values, std::span<const double> weights,
                                   std::size_t rows, std::size_t columns);

}  // namespace cvf::metrics
