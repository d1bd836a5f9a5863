// The gradients of one head's attention, block by block.
#pragma once

#include "kernels/cpu/heads.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

constexpr int query_rows = 96, key_rows = 64, pair_stride = key_rows + panel;

struct AttentionBackward {
  ConstMatrix all_q, all_d_out;  // whole matrices; this head's columns begin at `column`
  int column;
  const float *k_turned, *v_turned;  // times log2(e)/sqrt(dim); times 1/sqrt(dim)
  ConstColumns q, k, d_out;          // of the head
  const float *row_numbers, *delta;  // delta: for each token d_out . out / sqrt(dim)
  Columns dq, dk, dv;                // of the head
};

/// The weights of a block of queries and keys, made again, and the gradient of its scores over log2(e).
CVF_KERNEL inline void score_gradients(const Head& h, const AttentionBackward& a, int query, int queries,
                                       int key, int keys, float* weights, float* gradients) {
  for_tiles<tile_rows>(0, queries, [&](auto rows, int row) {
    constexpr int height = decltype(rows)::value;
    for (int k = 0; k * panel < keys; ++k) {
      Tile<height> tile;
      tile.clear();
      dot_tile(tile, h, a.all_q, a.column, query + row, a.k_turned, key / panel + k);
      float* w = weights + row * pair_stride + k * panel;
      float* g = gradients + row * pair_stride + k * panel;
#pragma GCC unroll 16
      for (int r = 0; r < height; ++r) {
        const float* numbers = a.row_numbers + 2 * (query + row + r);
        const Vec high = splat(numbers[0]), share = splat(numbers[1]);
#pragma GCC unroll 4
        for (int j = 0; j < vectors; ++j) {
          store(w + r * pair_stride + j * lanes, exp2_below(tile.v[r][j] - high) * share);
        }
      }
      tile.clear();
      dot_tile(tile, h, a.all_d_out, a.column, query + row, a.v_turned, key / panel + k);
#pragma GCC unroll 16
      for (int r = 0; r < height; ++r) {
        const Vec delta = splat(a.delta[query + row + r]);
#pragma GCC unroll 4
        for (int j = 0; j < vectors; ++j) {
          const Vec weight = load(w + r * pair_stride + j * lanes);
          store(g + r * pair_stride + j * lanes, (tile.v[r][j] - delta) * weight);
        }
      }
    }
  });
}

/// out rows += (pairs or, with RowStride 1, their transpose) * rows of in; fresh: nothing is in out yet
template <int RowStride, int Step>
CVF_KERNEL void add_pairs(const Head& h, const float* pairs, const ConstColumns& in, int from, int inner,
                          int to, int rows, bool fresh, const Columns& out) {
  for_strips(h.columns(), [&](auto groups, int c) {
    constexpr int wide = decltype(groups)::value;
    for_tiles<strip_rows<wide>>(0, rows, [&](auto height, int r) {
      Strip<decltype(height)::value, wide> strip;
      if (fresh) {
        strip.clear();
      } else {
        strip.read(out, c, to + r);
      }
      strip.template multiply<RowStride, Step>(pairs + r * RowStride, in, c, from, inner);
      strip.write(out, c, to + r);
    });
  });
}

inline void attention_backward(const Head& h, const AttentionBackward& a, float* scratch) {
  float* weights = scratch;
  float* gradients = scratch + query_rows * pair_stride;
  for (int query = 0; query < h.tokens; query += query_rows) {
    const int queries = h.tokens - query < query_rows ? h.tokens - query : query_rows;
    for (int key = 0; key < h.tokens; key += key_rows) {
      const int keys = h.tokens - key < key_rows ? h.tokens - key : key_rows;
      score_gradients(h, a, query, queries, key, keys, weights, gradients);
      // how dv follows from the weights, dk and dq from the scores' gradients
      add_pairs<1, pair_stride>(h, weights, a.d_out, query, queries, key, keys, query == 0, a.dv);
      add_pairs<1, pair_stride>(h, gradients, a.q, query, queries, key, keys, query == 0, a.dk);
      add_pairs<pair_stride, 1>(h, gradients, a.k, key, keys, query, queries, key == 0, a.dq);
    }
  }
}

}  // namespace cvf::kernels::cpu::CVF_SIMD
