// The large pieces of the convolutions' backward pass: through FiLM and the activation, to the weights of the
// taps, and through the taps.
#pragma once

#include "kernels/cpu/gradients.hpp"
#include "kernels/cpu/lines.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

/// From the gradient of f(z), z = h*scale + shift: leaves f(z), the gradient of h in its line, and adds to
/// those of shift and scale.
struct FilmBackward {
  Activation f;
  const Modulation& film;
  ConstMatrix h;
  Matrix activated;
  Lines dh;
  float *d_shift, *d_scale;
  int line, first;  // the line and its first cell
  template <int Rows>
  CVF_INLINE void operator()(Tile<Rows>& tile, int row, int j) const {
    const float* from = h.at(j, row);
    float *value = activated.at(j, row), *gradient = dh.at(j, line, row - first);
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) {
      const int c = j * panel + i * lanes;
      const Vec shift = load(film.shift + c), scale = load(film.scale + c);
      Vec along = load(d_scale + c), total = load(d_shift + c);
      for (int r = 0; r < Rows; ++r) {
        const Vec x = load(from + r * panel + i * lanes), z = fma(x, scale, shift), s = share_of(f, z);
        const Vec dz = tile.v[r][i] * slope_of(f, z, s);
        store(value + r * panel + i * lanes, z * s);
        store(gradient + r * panel + i * lanes, dz * scale);
        total = total + dz;
        along = fma(dz, x, along);
      }
      store(d_shift + c, total);
      store(d_scale + c, along);
    }
  }
};

/// dw += x^T dh for every tap.
CVF_KERNEL inline void tap_gradient(const ConvPlan& plan, const ConvBlockPlan& block, const Lines& x,
                                    const Lines& dh, float* dw, bool fresh) {
  const long tap = static_cast<long>(plan.dim_panels) * panel * panel, out_stride = plan.taps * tap;
  const int chunk =
      128 / plan.columns > 0 ? 128 / plan.columns : 1;  // lines whose cells stay in the first-level cache
  for (int begin = 0; begin < plan.lines; begin += chunk) {
    const int end = begin + chunk < plan.lines ? begin + chunk : plan.lines;
    for_panels(0, plan.dim_panels, [&](auto panels, int j) {
      for (int p = 0; p < plan.dim_panels; ++p) {
        for (int t = 0; t < plan.taps; ++t) {
          const int* source = block.map.lines + (t / 3) * plan.lines;
          const int shift = (t % 3 - 1) * block.map.dilation;
          for_gradient_rows([&](auto height, int k) {
            WideTile<decltype(height)::value, decltype(panels)::value> tile;
            tile.clear();
            for (int line = begin; line < end; ++line)
              multiply<1, panel>(tile, x.at(p, source[line], shift) + k, dh.at(j, line, 0), dh.stride,
                                 plan.columns);
            const AddTo add{dw + t * tap, out_stride};
            for (int q = 0; q < decltype(panels)::value; ++q)
              add(tile.part[q], p * panel + k, j + q, fresh && begin == 0);
          });
        }
      }
    });
  }
}

/// dx += the gradient through the convolution. A cell collects from all cells whose taps read it; along x,
/// cells of the halo collect as well and hand on to the cell that they stand for.
struct SpatialGradient {
  const ConvPlan& plan;
  const ConvBlockPlan& block;
  const float* transposed;
  Lines dh;
  Matrix dx;

  void add() const {
    for (int line = 0; line < plan.lines; ++line) {
      for_tiles<tile_rows>(0, plan.columns, [&](auto rows, int x) {
        for_panels(0, plan.dim_panels, [&](auto panels, int j) {
          add_inner<decltype(rows)::value, decltype(panels)::value>(line, x, j);
        });
      });
      for (int side = 0; side < 2 && !plan.wraps; ++side) {
        for_tiles<tile_rows>(0, block.map.dilation, [&](auto rows, int i) {
          for_panels(0, plan.dim_panels, [&](auto panels, int j) {
            add_end<decltype(rows)::value, decltype(panels)::value>(line, side, i, j);
          });
        });
      }
    }
  }

 private:
  /// By the columns of taps [first, last], for the cells from x on.
  template <int Rows, int Panels>
  CVF_INLINE void collect(WideTile<Rows, Panels>& tile, int line, int x, int j, int first, int last) const {
    const TapMap& map = block.map;
    const long tap = static_cast<long>(plan.dim_panels) * panel * panel;
    tile.clear();
    for (int e = map.back_first[line]; e < map.back_first[line + 1]; ++e) {
      for (int kx = first; kx <= last; ++kx) {
        add_product(tile, dh.at(0, map.back_line[e], x - (kx - 1) * map.dilation), dh.stride, plan.dim_panels,
                    transposed + ((map.back_tap[e] * 3 + kx) * plan.dim_panels + j) * tap, tap);
      }
    }
  }

  // Each with a tile of its own: handed in by reference it would live in memory, not in registers.
  template <int Rows, int Panels>
  CVF_KERNEL void add_inner(int line, int x, int j) const {
    WideTile<Rows, Panels> tile;
    collect(tile, line, x, j, 0, 2);
    for (int q = 0; q < Panels; ++q) tile.part[q].add_to(dx.at(j + q, line * plan.columns + x));
  }
  template <int Rows, int Panels>
  CVF_KERNEL void add_end(int line, int side, int i, int j) const {
    WideTile<Rows, Panels> tile;
    collect(tile, line, side == 0 ? i - block.map.dilation : plan.columns + i, j, 2 * side, 2 * side);
    const int* home = (side == 0 ? block.map.low : block.map.high) + i;
    for (int q = 0; q < Panels; ++q) {
      for (int r = 0; r < Rows; ++r) tile.part[q].add_row_to(r, dx.at(j + q, line * plan.columns + home[r]));
    }
  }
};

}  // namespace cvf::kernels::cpu::CVF_SIMD
