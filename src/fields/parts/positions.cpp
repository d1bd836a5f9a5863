#include "fields/parts/positions.hpp"

#include <cmath>

namespace cvf::fields {
namespace {

torch::Tensor line_positions(std::int64_t count, std::int64_t quarter) {  // [count, 2*quarter]
  const auto i = torch::arange(quarter, torch::kDouble);
  const auto frequencies = torch::exp(i * (-std::log(10000.0) / static_cast<double>(quarter)));
  const auto angles = torch::arange(count, torch::kDouble).unsqueeze(1) * frequencies;
  return torch::cat({angles.sin(), angles.cos()}, 1);
}

}  // namespace

torch::Tensor grid_positions(std::int64_t rows, std::int64_t columns, std::int64_t dim) {
  const auto half = dim / 2;
  const auto of_row = line_positions(rows, dim / 4).unsqueeze(1).expand({rows, columns, half});
  const auto of_column = line_positions(columns, dim / 4).unsqueeze(0).expand({rows, columns, half});
  return torch::cat({of_row, of_column}, 2).reshape({rows * columns, dim});
}

}  // namespace cvf::fields
