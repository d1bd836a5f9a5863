// Products of panel matrices: forward and input gradient share `product`; `weight_gradient` is the other one.
#pragma once

#include "kernels/cpu/tile.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

struct Matrix {
  float* data;
  long stride;  // floats between panels
  CVF_INLINE float* at(int p, int row) const { return data + p * stride + row * panel; }
};
struct ConstMatrix {
  const float* data;
  long stride;
  ConstMatrix(const float* d, long s) : data(d), stride(s) {}
  ConstMatrix(const Matrix& m) : data(m.data), stride(m.stride) {}
  CVF_INLINE const float* at(int p, int row) const { return data + p * stride + row * panel; }
};

constexpr int chunk_panels = 16;  // 256 inner values: their 16 KB of weights stay in the first-level cache

/// Rows that pass through all panels of the weights before the next rows come: enough that fetching a panel
/// from the third-level cache hides behind their tiles, few enough that their left side stays in the second.
constexpr int block_rows = 96 / tile_rows * tile_rows;

/// finish(tile, row, out_panel) is called with x[row..]*w for each tile of rows [begin, end) and each panel
/// of w.
template <class Finish>
CVF_KERNEL void product(ConstMatrix x, int inner_panels, const float* w, int out_panels, int begin, int end,
                        Finish finish) {
  float partial[wide_panels * block_rows * panel];
  // Weights that do not stay in the second-level cache: each row asks in advance for this many floats of the
  // next chunk, so that its first tile need not wait.
  const bool far = inner_panels * out_panels > 256;
  const int chunk_floats = (inner_panels < chunk_panels ? inner_panels : chunk_panels) * panel * panel;
  const int ahead = far ? (chunk_floats / block_rows + panel - 1) / panel * panel : 0;
  const long right_stride = static_cast<long>(inner_panels) * panel * panel;
  for (int from = begin; from < end; from += block_rows) {
    const int to = from + block_rows < end ? from + block_rows : end;
    for_panels(0, out_panels, [&](auto panels, int j) {
      constexpr int Panels = decltype(panels)::value;
      const float* right = w + j * right_stride;
      for (int chunk = 0; chunk < inner_panels; chunk += chunk_panels) {
        const int last = chunk + chunk_panels < inner_panels ? chunk + chunk_panels : inner_panels;
        for_tiles<tile_rows>(from, to, [&](auto rows, int row) {
          WideTile<decltype(rows)::value, Panels> tile;
          float* part = partial + (row - from) * panel;
          tile.clear();
          if (chunk > 0) {
            for (int q = 0; q < Panels; ++q) tile.part[q].read(part + q * block_rows * panel);
          }
          for (int q = 0; q < Panels && ahead > 0; ++q) {
            const float* next = right + q * right_stride + last * panel * panel + (row - from) * ahead;
            for (int i = 0; i < tile_rows * ahead; i += panel) __builtin_prefetch(next + i, 0, 2);
          }
          for (int p = chunk; p < last; ++p) {
            multiply<panel, 1>(tile, x.at(p, row), right + p * panel * panel, right_stride, panel);
          }
          for (int q = 0; q < Panels; ++q) {
            if (last == inner_panels) {
              finish(tile.part[q], row, j + q);
            } else {
              tile.part[q].write(part + q * block_rows * panel);
            }
          }
        });
      }
    });
  }
}

/// Cuts a panel's 16 values into tiles of the outer product: work(Count<rows>{}, first).
template <class Work>
CVF_INLINE void for_gradient_rows(Work&& work) {
  if constexpr (gradient_rows == 6) {  // 16 = 6 + 5 + 5
    work(Count<6>{}, 0);
    work(Count<5>{}, 6);
    work(Count<5>{}, 11);
  } else {
    for (int k = 0; k < panel; k += gradient_rows) work(Count<gradient_rows>{}, k);
  }
}

/// add(tile, k, out_panel, fresh): tile = sum over some rows of x[., k..]^T y for the out panels [begin,
/// end); fresh for the first rows, if the whole is.
template <class Add>
CVF_KERNEL void outer_product(ConstMatrix x, int in_panels, ConstMatrix y, int begin, int end, int rows,
                              bool fresh, Add add) {
  constexpr int chunk_rows = 128;  // both sides of a chunk stay in the first-level cache
  for (int from = 0; from < rows; from += chunk_rows) {
    const int count = from + chunk_rows < rows ? chunk_rows : rows - from;
    for_panels(begin, end, [&](auto panels, int j) {
      for (int p = 0; p < in_panels; ++p) {
        for_gradient_rows([&](auto height, int k) {
          WideTile<decltype(height)::value, decltype(panels)::value> tile;
          tile.clear();
          multiply<1, panel>(tile, x.at(p, from) + k, y.at(j, from), y.stride, count);
          for (int q = 0; q < decltype(panels)::value; ++q)
            add(tile.part[q], p * panel + k, j + q, fresh && from == 0);
        });
      }
    });
  }
}

/// sums[16*j ...] += (or =, when fresh) the sums of the columns of y, for the panels [begin, end).
CVF_KERNEL inline void column_sums(ConstMatrix y, int begin, int end, int rows, bool fresh, float* sums) {
  for (int j = begin; j < end; ++j) {
    Vec total[vectors];
    for (int i = 0; i < vectors; ++i) total[i] = splat(0);
    for (int r = 0; r < rows; ++r) {
      for (int i = 0; i < vectors; ++i) total[i] = total[i] + load(y.at(j, r) + i * lanes);
    }
    for (int i = 0; i < vectors; ++i) {
      float* out = sums + j * panel + i * lanes;
      store(out, fresh ? total[i] : load(out) + total[i]);
    }
  }
}

}  // namespace cvf::kernels::cpu::CVF_SIMD
