// The arithmetic of a step as loops over plain memory [rows, values], one pass for each stage. A row's result
// does not depend on the other rows. Nothing of LibTorch.
#pragma once

#include <cstddef>
#include <span>

namespace cvf::solvers::loops {

constexpr std::size_t most_terms = 8;

template <class T>
struct Term {
  const T* values;
  double weight;
};

struct Extent {
  std::size_t rows, values;
};

/// out[r] = base[r] + scale[r] sum_j weight_j values_j[r]
template <class T>
void combine(T* out, const T* base, const double* scale, std::span<const Term<T>> terms, Extent extent);

/// What an error is measured by: atol + rtol max(|a|, |b|); null pointers: by 1.
template <class T>
struct Tolerance {
  double absolute = 1, relative = 0;
  const T* a = nullptr;
  const T* b = nullptr;
};

/// What becomes of a row's squares.
enum class Reduce { sum, largest };

/// out[r] = sum over (or largest of) the row's (sum_j weight_j values_j / tolerance)^2
template <class T>
void reduce_squares(double* out, std::span<const Term<T>> terms, const Tolerance<T>& tolerance, Reduce reduce,
                    Extent extent);

/// finite[r] = no value of the row is infinite or not a number
template <class T>
void find_finite(char* finite, const T* values, Extent extent);

}  // namespace cvf::solvers::loops
