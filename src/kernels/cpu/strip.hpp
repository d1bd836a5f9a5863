// A tile over a head's columns: a few rows by a few groups of columns, which may lie in neighbouring panels.
// So a head whose columns do not fill whole panels (24 of them, say) is worked on where it lies.
#pragma once

#include "kernels/cpu/linear.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

constexpr int group = lanes > 8 ? lanes : 8;  // columns that always lie in one panel
constexpr int group_vectors = group / lanes;

/// The columns of a panel matrix from `column` on, a multiple of `group`.
template <class AnyMatrix>
struct ColumnsOf {
  AnyMatrix x;
  int column;
  CVF_INLINE auto at(int c, int row) const { return x.at((column + c) / panel, row) + (column + c) % panel; }
};
using Columns = ColumnsOf<Matrix>;
using ConstColumns = ColumnsOf<ConstMatrix>;

template <int Rows, int Groups>
struct Strip {
  Vec v[Rows][Groups * group_vectors];

  CVF_INLINE void clear() {
    each([](Vec& value, int, int, int) { value = splat(0); });
  }
  CVF_INLINE void scale(const float* by_row) {
    each([&](Vec& value, int r, int, int) { value = value * splat(by_row[r]); });
  }
  CVF_INLINE void read(const Columns& x, int c, int row) {
    float* from[Groups];
    place(x, c, row, from);
    each([&](Vec& value, int r, int g, int i) { value = load(from[g] + r * panel + i * lanes); });
  }
  CVF_INLINE void write(const Columns& x, int c, int row) {
    float* to[Groups];
    place(x, c, row, to);
    each([&](Vec& value, int r, int g, int i) { store(to[g] + r * panel + i * lanes, value); });
  }

  /// += sum over k < count of a[r*RowStride + k*Step] * the columns c.. of x in row first + k
  template <int RowStride, int Step>
  CVF_INLINE void multiply(const float* a, const ConstColumns& x, int c, int first, int count) {
    const float* right[Groups];
    place(x, c, first, right);
#pragma GCC unroll 4
    for (int k = 0; k < count; ++k) {
      Vec b[Groups * group_vectors];
#pragma GCC unroll 3
      for (int g = 0; g < Groups; ++g) {
#pragma GCC unroll 2
        for (int i = 0; i < group_vectors; ++i) b[g * group_vectors + i] = load(right[g] + i * lanes);
        right[g] += panel;
      }
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) {
        const Vec left = splat(a[r * RowStride]);
#pragma GCC unroll 6
        for (int i = 0; i < Groups * group_vectors; ++i) v[r][i] = fma(left, b[i], v[r][i]);
      }
      a += Step;
    }
  }

 private:
  template <class AnyColumns, class Pointer>
  static CVF_INLINE void place(const AnyColumns& x, int c, int row, Pointer (&out)[Groups]) {
#pragma GCC unroll 3
    for (int g = 0; g < Groups; ++g) out[g] = x.at(c + g * group, row);
  }
  template <class Work>
  CVF_INLINE void each(Work&& work) {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 3
      for (int g = 0; g < Groups; ++g) {
#pragma GCC unroll 2
        for (int i = 0; i < group_vectors; ++i) work(v[r][g * group_vectors + i], r, g, i);
      }
    }
  }
};

/// Cuts a head's columns, a multiple of `group`, into strips: work(Count<groups>{}, first column). Two groups
/// as in a panel, and three where an odd number is left, since one alone would keep the registers half empty.
template <class Work>
CVF_INLINE void for_strips(int columns, Work&& work) {
  constexpr int usual = panel / group;
  int c = 0;
  for (int left = columns / group; left > 0; left = (columns - c) / group) {
    if constexpr (usual == 1) {
      work(Count<1>{}, c);
      c += group;
    } else if (left == 1 || left == 3) {
      left == 1 ? work(Count<1>{}, c) : work(Count<3>{}, c);
      c += left * group;
    } else {
      work(Count<2>{}, c);
      c += 2 * group;
    }
  }
}

/// Rows of a strip that fill the registers as a tile of tile_rows does.
template <int Groups>
constexpr int strip_rows = Groups == 3 && tile_rows > 2 ? tile_rows * 2 / 3 : tile_rows;

}  // namespace cvf::kernels::cpu::CVF_SIMD
