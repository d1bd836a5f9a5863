// The arithmetic of a step on tensors [R,...]: fused loops for contiguous float and double on the CPU,
// library operations for everything else. `applies` chooses.
#pragma once

#include <span>
#include <vector>

#include "core/torch.hpp"
#include "solvers/parts/loops.hpp"

namespace cvf::solvers {

using Numbers = std::vector<double>;
using Tensors = std::span<const torch::Tensor>;

/// True where the fused loops can work on this tensor.
bool applies(const torch::Tensor& tensor);

/// out[r] = base[r] + scale[r] sum_j weights_j k_j[r]. Zero weights are left out.
void combine(torch::Tensor& out, const torch::Tensor& base, std::span<const double> scale, Tensors k,
             std::span<const double> weights);

struct ErrorScale {
  double absolute, relative;
  const torch::Tensor &a, &b;  // atol + rtol max(|a|, |b|)
};

/// For each row: the sum (or the largest) over its values of (sum_j weights_j k_j / scale)^2; without a
/// scale, of the weighted sum itself.
Numbers row_squares(Tensors k, std::span<const double> weights, const ErrorScale* scale = nullptr,
                    loops::Reduce reduce = loops::Reduce::sum);

/// For each row: 1 if all its values are finite, else 0.
std::vector<char> finite_rows(const torch::Tensor& states);

void copy_row(torch::Tensor& to, std::size_t to_row, const torch::Tensor& from, std::size_t from_row);
/// Only these rows, in rising order, stay; in place where the fused loops apply.
void keep_rows(torch::Tensor& tensor, std::span<const std::int64_t> rows);
torch::Tensor take_rows(const torch::Tensor& from, std::span<const std::int64_t> rows);

}  // namespace cvf::solvers
