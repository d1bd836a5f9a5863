// One residual block of the convolution field forward, x += gate * mix(f(FiLM(spatial(x)))): tap by tap for
// runs of cells, or by Winograd's convolution for tiles.
#pragma once

#include "kernels/cpu/layers.hpp"
#include "kernels/cpu/winograd.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

constexpr long run_stride = (tile_rows | 1) * panel;

/// Floats between panels of the activated outputs of tiles.
inline long outputs_stride(const ConvPlan& plan) {
  return (outputs_of_a_tile * tiles_at_a_time(plan) | 1) * panel;
}

/// A block tap by tap, and what both ways share.
struct BlockPass {
  const ConvPlan& plan;
  const ConvBlockPlan& block;
  const float* weights;
  Modulation film;
  Lines from, to;
  float* h;  // plan.stride; null when it is not kept
  float* run;

  /// The convolution of the cells from x on, before its bias.
  template <int Rows, int Panels>
  CVF_INLINE void convolve(WideTile<Rows, Panels>& tile, int line, int x, int j) const {
    const int d = block.map.dilation;
    const long tap = static_cast<long>(plan.dim_panels) * panel * panel, w_stride = plan.taps * tap;
    const float* w = weights + block.spatial.weight + j * w_stride;
    tile.clear();
    for (int ky = 0; ky < plan.tap_lines; ++ky) {
      const int source = block.map.lines[ky * plan.lines + line];
      for (int kx = 0; kx < 3; ++kx, w += tap)
        add_product(tile, from.at(0, source, x + (kx - 1) * d), from.stride, plan.dim_panels, w, w_stride);
    }
  }

  CVF_INLINE Vec activated(Vec value, int c) const {
    const Vec z = fma(value, load(film.scale + c), load(film.shift + c));
    return z * share_of(plan.activation, z);
  }

  template <int Rows, int Panels>
  CVF_KERNEL void activate(int line, int x, int j) const {
    WideTile<Rows, Panels> tile;
    convolve(tile, line, x, j);
    for (int q = 0; q < Panels; ++q) {
      Tile<Rows>& t = tile.part[q];
      const int c = (j + q) * panel;
      t.add_row(weights + block.spatial.bias + c);
      if (h != nullptr) t.write(kept(j + q, line, x));
#pragma GCC unroll 4
      for (int i = 0; i < vectors; ++i) {
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) t.v[r][i] = activated(t.v[r][i], c + i * lanes);
      }
      t.write(run + (j + q) * run_stride);
    }
  }

  template <int Rows, int Panels>
  CVF_KERNEL void mix(int line, int x, int j) const {
    WideTile<Rows, Panels> tile;
    tile.clear();
    const long w_stride = static_cast<long>(plan.dim_panels) * panel * panel;
    add_product(tile, run, run_stride, plan.dim_panels, weights + block.mix.weight + j * w_stride, w_stride);
    for (int q = 0; q < Panels; ++q) {
      const auto at = [x](int r) { return static_cast<long>(x + r) * panel; };
      add_gated(tile.part[q], j + q, from.at(j + q, line, 0), at, to.at(j + q, line, 0), at);
    }
  }

  /// The end of a block for some cells, the r-th of which lies at(r) floats behind `old` and next_at(r)
  /// behind `next`.
  template <int Rows, class Place>
  CVF_INLINE void add_gated(Tile<Rows>& mixed, int p, const float* old, const Place& at, float* next,
                            const Place& next_at) const {
    const int c = p * panel;
    mixed.add_row(weights + block.mix.bias + c);
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) {
      const Vec gate = load(film.gate + c + i * lanes);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) {
        const Vec x = load(old + at(r) + i * lanes);
        store(next + next_at(r) + i * lanes, fma(gate, mixed.v[r][i], x));
      }
    }
  }

  template <int Rows>
  void advance(int line, int x) const {
    for_panels(0, plan.dim_panels,
               [&](auto panels, int j) { activate<Rows, decltype(panels)::value>(line, x, j); });
    for_panels(0, plan.dim_panels,
               [&](auto panels, int j) { mix<Rows, decltype(panels)::value>(line, x, j); });
  }

  float* kept(int p, int line, int x) const {
    return h + p * plan.stride + (static_cast<long>(line) * plan.columns + x) * panel;
  }
};

/// A block by Winograd's convolution, for some of its tiles.
struct TiledPass {
  const BlockPass& pass;
  const Tiles& tiles;
  Positions inputs, products;
  Matrix activated;  // row k * tiles + t: output k of tile t

  CVF_KERNEL void activate() const {
    const float* bias = pass.weights + pass.block.spatial.bias;
    for (int p = 0; p < products.panels; ++p) {
      for (int t = 0; t < tiles.count; ++t) {
#pragma GCC unroll 4
        for (int i = 0; i < vectors; ++i) {
          const int c = p * panel + i * lanes;
          Vec h[outputs_of_a_tile];
          outputs_of(products, p, t, i, h);
#pragma GCC unroll 4
          for (int k = 0; k < outputs_of_a_tile; ++k) {
            h[k] = h[k] + load(bias + c);
            if (pass.h != nullptr)
              store(pass.kept(p, tiles.output_line(t, k), tiles.output_x(t, k)) + i * lanes, h[k]);
            store(activated.at(p, k * tiles.count + t) + i * lanes, pass.activated(h[k], c));
          }
        }
      }
    }
  }

  /// Where the outputs lie in a panel of such lines, row by row of `activated`.
  void find(const Lines& lines, long* at) const {
    for (int k = 0; k < outputs_of_a_tile; ++k) {
      for (int t = 0; t < tiles.count; ++t)
        *at++ = lines.at(0, tiles.output_line(t, k), tiles.output_x(t, k)) - lines.data;
    }
  }

  void advance() const {
    const ConvPlan& plan = pass.plan;
    read_tiles(tiles, pass.from, inputs);
    for (int n = 0; n < winograd_positions; ++n)
      product(inputs.at(n), plan.dim_panels, pass.weights + pass.block.winograd.weight + n * plan.matrix,
              plan.dim_panels, 0, tiles.count, Plain{products.at(n)});
    activate();
    long from[outputs_of_a_tile * most_tiles], to[outputs_of_a_tile * most_tiles];
    find(pass.from, from);
    find(pass.to, to);
    product(activated, plan.dim_panels, pass.weights + pass.block.mix.weight, plan.dim_panels, 0,
            outputs_of_a_tile * tiles.count, [&]<int Rows>(Tile<Rows>& tile, int row, int p) {
              struct {
                const long* at;
                CVF_INLINE long operator()(int r) const { return at[r]; }
              } const old{from + row}, next{to + row};
              pass.add_gated(tile, p, pass.from.data + p * pass.from.stride, old,
                             pass.to.data + p * pass.to.stride, next);
            });
  }
};

}  // namespace cvf::kernels::cpu::CVF_SIMD
