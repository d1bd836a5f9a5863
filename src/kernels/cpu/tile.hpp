// The micro-kernel: a tile of a few rows by one panel, held in registers while the inner dimension runs by.
#pragma once

#include "kernels/cpu/vec.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

template <int Rows>
struct Tile {
  Vec v[Rows][vectors];

  CVF_INLINE void clear() {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
      for (int j = 0; j < vectors; ++j) v[r][j] = splat(0);
    }
  }
  CVF_INLINE void read(const float* p) {  // rows of a panel
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
      for (int j = 0; j < vectors; ++j) v[r][j] = load(p + r * panel + j * lanes);
    }
  }
  CVF_INLINE void write(float* p) const {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
      for (int j = 0; j < vectors; ++j) store(p + r * panel + j * lanes, v[r][j]);
    }
  }
  CVF_INLINE void add_row(const float* p) {  // to each row
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j) {
      const Vec row = load(p + j * lanes);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) v[r][j] = v[r][j] + row;
    }
  }
  CVF_INLINE void add_row_to(int r, float* p) const {
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j) store(p + j * lanes, load(p + j * lanes) + v[r][j]);
  }
  CVF_INLINE void add_to(float* p) const {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) add_row_to(r, p + r * panel);
  }
};

/// Neighbouring panels at once: what is loaded of the left side serves all of them.
template <int Rows, int Panels>
struct WideTile {
  Tile<Rows> part[Panels];

  CVF_INLINE void clear() {
#pragma GCC unroll 4
    for (int q = 0; q < Panels; ++q) part[q].clear();
  }
};

/// tile[r] += sum over k < count of a[r*RowStride + k*Step] * b[k*16 ...]
template <int RowStride, int Step, int Rows>
CVF_INLINE void multiply(Tile<Rows>& c, const float* a, const float* b, int count) {
#pragma GCC unroll 4
  for (int k = 0; k < count; ++k) {
    Vec right[vectors];
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j) right[j] = load(b + j * lanes);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      const Vec left = splat(a[r * RowStride]);
#pragma GCC unroll 4
      for (int j = 0; j < vectors; ++j) c.v[r][j] = fma(left, right[j], c.v[r][j]);
    }
    a += Step;
    b += panel;
  }
}

/// The same for panels of b that lie b_stride floats apart.
template <int RowStride, int Step, int Rows, int Panels>
CVF_INLINE void multiply(WideTile<Rows, Panels>& c, const float* a, const float* b, long b_stride,
                         int count) {
#pragma GCC unroll 4
  for (int k = 0; k < count; ++k) {
    Vec right[Panels][vectors];
#pragma GCC unroll 4
    for (int q = 0; q < Panels; ++q) {
#pragma GCC unroll 4
      for (int j = 0; j < vectors; ++j) right[q][j] = load(b + q * b_stride + j * lanes);
    }
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      const Vec left = splat(a[r * RowStride]);
#pragma GCC unroll 4
      for (int q = 0; q < Panels; ++q) {
#pragma GCC unroll 4
        for (int j = 0; j < vectors; ++j) c.part[q].v[r][j] = fma(left, right[q][j], c.part[q].v[r][j]);
      }
    }
    a += Step;
    b += panel;
  }
}

template <int N>
struct Count {
  static constexpr int value = N;
};

/// Calls work(Count<rows>{}) with the rows known to the compiler.
template <int Most, class Work>
CVF_INLINE void with_rows(int rows, Work&& work) {
  if constexpr (Most == 1) {
    work(Count<1>{});
  } else {
    if (rows == Most) return work(Count<Most>{});
    with_rows<Most - 1>(rows, work);
  }
}

/// Cuts [begin, end) into tiles of nearly equal size: work(Count<rows>{}, first row).
template <int Most, class Work>
CVF_INLINE void for_tiles(int begin, int end, Work&& work) {
  const int tiles = (end - begin + Most - 1) / Most;
  for (int i = 0; i < tiles; ++i) {
    const int from = begin + (end - begin) * i / tiles, to = begin + (end - begin) * (i + 1) / tiles;
    with_rows<Most>(to - from, [&](auto rows) { work(rows, from); });
  }
}

/// work(Count<panels>{}, first panel) for the panels [begin, end): as many at once as a wide tile has
template <class Work>
CVF_INLINE void for_panels(int begin, int end, Work&& work) {
  int j = begin;
  for (; j + wide_panels <= end; j += wide_panels) work(Count<wide_panels>{}, j);
  if constexpr (wide_panels > 1) {
    for (; j < end; ++j) work(Count<1>{}, j);
  }
}

}  // namespace cvf::kernels::cpu::CVF_SIMD
