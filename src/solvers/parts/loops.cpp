#include "solvers/parts/loops.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace cvf::solvers::loops {
namespace {

constexpr std::size_t block = 1024;  // values: what fits into the first cache with all terms
constexpr std::size_t short_row = 32;

// The number of terms is known to the compiler, so that the inner loop has no loop inside and is vectorised.
template <class T, std::size_t Count>
struct Terms {
  std::array<const T*, Count> values;
  std::array<T, Count> weights;

  explicit Terms(std::span<const Term<T>> terms) {
    for (std::size_t j = 0; j < Count; ++j) {
      values[j] = terms[j].values;
      weights[j] = static_cast<T>(terms[j].weight);
    }
  }
  T at(std::size_t i) const {
    T sum = weights[0] * values[0][i];
    for (std::size_t j = 1; j < Count; ++j) sum += weights[j] * values[j][i];
    return sum;
  }
};

template <class T, class Work>
void with_count(std::span<const Term<T>> terms, Work&& work) {
  const auto try_count = [&]<std::size_t Count>(std::integral_constant<std::size_t, Count>) {
    if (terms.size() == Count) work(Terms<T, Count>(terms));
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (try_count(std::integral_constant<std::size_t, I + 1>{}), ...);
  }
  (std::make_index_sequence<most_terms>{});
}

// Rows of a few values would make the inner loop too short: the scale is spread over the values instead. The
// stages of a step share their scale, so the last one is remembered.
template <class T>
const T* spread(const double* scale, Extent extent) {
  thread_local std::vector<double> known;
  thread_local std::vector<T> out;
  const std::size_t size = extent.rows * extent.values;
  if (out.size() == size && known.size() == extent.rows && std::equal(known.begin(), known.end(), scale)) {
    return out.data();
  }
  known.assign(scale, scale + extent.rows);
  out.resize(size);
  T* next = out.data();
  for (std::size_t r = 0; r < extent.rows; ++r) {
    for (std::size_t i = 0; i < extent.values; ++i) *next++ = static_cast<T>(scale[r]);
  }
  return out.data();
}

// Four running sums: the order of addition is fixed, and no addition waits for the one before.
template <class T>
double sum_of(const T* values, std::size_t count) {
  double sums[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += static_cast<double>(values[i + k]);
  }
  for (; i < count; ++i) sums[0] += static_cast<double>(values[i]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class T>
double largest_of(const T* values, std::size_t count) {
  T most = 0;
  for (std::size_t i = 0; i < count; ++i)
    most = values[i] <= most ? most : values[i];  // keeps what is no number
  return static_cast<double>(most);
}

// squares[i] = (sum_j weight_j values_j / tolerance)^2 for the values [first, first + count)
template <class T, class TermsOf>
void square(T* squares, const TermsOf& terms, const Tolerance<T>& tolerance, std::size_t first,
            std::size_t count) {
  if (tolerance.a == nullptr) {
    for (std::size_t i = 0; i < count; ++i) {
      const T x = terms.at(first + i);
      squares[i] = x * x;
    }
    return;
  }
  const T absolute = static_cast<T>(tolerance.absolute), relative = static_cast<T>(tolerance.relative);
  const T *a = tolerance.a + first, *b = tolerance.b + first;
  for (std::size_t i = 0; i < count; ++i) {
    const T left = std::abs(a[i]), right = std::abs(b[i]);
    const T x = terms.at(first + i) / (absolute + relative * (left > right ? left : right));
    squares[i] = x * x;
  }
}

}  // namespace

template <class T>
void combine(T* out, const T* base, const double* scale, std::span<const Term<T>> terms, Extent extent) {
  with_count<T>(terms, [&](const auto& sum) {
    if (extent.values < short_row) {
      const T* each = spread<T>(scale, extent);
      for (std::size_t i = 0; i < extent.rows * extent.values; ++i) out[i] = base[i] + each[i] * sum.at(i);
      return;
    }
    for (std::size_t r = 0, first = 0; r < extent.rows; ++r, first += extent.values) {
      const T factor = static_cast<T>(scale[r]);
      for (std::size_t i = first; i < first + extent.values; ++i) out[i] = base[i] + factor * sum.at(i);
    }
  });
}

template <class T>
void reduce_squares(double* out, std::span<const Term<T>> terms, const Tolerance<T>& tolerance, Reduce reduce,
                    Extent extent) {
  const auto of = reduce == Reduce::sum ? sum_of<T> : largest_of<T>;
  const auto join = [reduce](double a, double b) { return reduce == Reduce::sum ? a + b : b <= a ? a : b; };
  const std::size_t micro_batch_rows = std::max<std::size_t>(1, block / extent.values);
  std::array<T, block> squares;
  with_count<T>(terms, [&](const auto& sum) {
    for (std::size_t r = 0; r < extent.rows; r += micro_batch_rows) {
      const std::size_t rows = std::min(micro_batch_rows, extent.rows - r), first = r * extent.values;
      if (extent.values <= block) {  // some whole rows in one go
        square(squares.data(), sum, tolerance, first, rows * extent.values);
        for (std::size_t k = 0; k < rows; ++k) {
          out[r + k] = of(squares.data() + k * extent.values, extent.values);
        }
        continue;
      }
      out[r] = 0;
      for (std::size_t done = 0; done < extent.values; done += block) {  // one long row in pieces
        const std::size_t count = std::min(block, extent.values - done);
        square(squares.data(), sum, tolerance, first + done, count);
        out[r] = join(out[r], of(squares.data(), count));
      }
    }
  });
}

template <class T>
void find_finite(char* finite, const T* values, Extent extent) {
  for (std::size_t r = 0; r < extent.rows; ++r, values += extent.values) {
    bool all = true;
    for (std::size_t i = 0; i < extent.values; ++i) all &= std::isfinite(values[i]);
    finite[r] = all ? 1 : 0;
  }
}

#define CVF_LOOPS(T)                                                                                       \
  template void combine<T>(T*, const T*, const double*, std::span<const Term<T>>, Extent);                 \
  template void reduce_squares<T>(double*, std::span<const Term<T>>, const Tolerance<T>&, Reduce, Extent); \
  template void find_finite<T>(char*, const T*, Extent);
CVF_LOOPS(float)
CVF_LOOPS(double)
#undef CVF_LOOPS

}  // namespace cvf::solvers::loops
