// What becomes of the tiles of a backward product.
#pragma once

#include "kernels/cpu/rows.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

/// From h and the gradient of f(h): leaves f(h) and the gradient of h. activated may be h itself.
struct ActivationBackward {
  Activation f;
  ConstMatrix h;
  Matrix activated, d_hidden;
  template <int Rows>
  CVF_INLINE void operator()(Tile<Rows>& tile, int row, int j) const {
    const float* from = h.at(j, row);
    float *value = activated.at(j, row), *gradient = d_hidden.at(j, row);
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
      for (int i = 0; i < vectors; ++i) {
        const Vec x = load(from + r * panel + i * lanes), s = share_of(f, x);
        store(value + r * panel + i * lanes, x * s);
        store(gradient + r * panel + i * lanes, tile.v[r][i] * slope_of(f, x, s));
      }
    }
  }
};

/// dw += tile, or dw = tile when nothing was there yet
struct AddTo {
  float* gradient;
  long out_stride;  // floats of an out panel
  template <int Rows>
  CVF_INLINE void operator()(Tile<Rows>& tile, int k, int j, bool fresh) const {
    float* to = gradient + j * out_stride + k * panel;
    if (fresh) return tile.write(to);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
      for (int i = 0; i < vectors; ++i) {
        float* place = to + r * panel + i * lanes;
        store(place, load(place) + tile.v[r][i]);
      }
    }
  }
};

/// For y = gate*(x w + bias) with the tile M = x^T dy: dw += gate*M and d_gate += sum over k of w*M, so that
/// the branch's output need not be kept.
struct AddGated {
  float* gradient;  // null when only the gate's gradient is wanted
  const float *weight, *gate;
  float* d_gate;
  long out_stride;
  template <int Rows>
  CVF_INLINE void operator()(Tile<Rows>& tile, int k, int j, bool fresh) const {
    const long at = j * out_stride + k * panel;
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) {
      const Vec g = load(gate + j * panel + i * lanes);
      Vec total = load(d_gate + j * panel + i * lanes);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) {
        total = fma(tile.v[r][i], load(weight + at + r * panel + i * lanes), total);
        if (gradient == nullptr) continue;
        float* place = gradient + at + r * panel + i * lanes;
        store(place, fresh ? g * tile.v[r][i] : fma(g, tile.v[r][i], load(place)));
      }
      store(d_gate + j * panel + i * lanes, total);
    }
  }
};

}  // namespace cvf::kernels::cpu::CVF_SIMD
