// The gradients of one head's attention, block by block.
#pragma once

#include "kernels/cpu/heads.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

constexpr int query_rows = 96, key_rows = 64, pair_stride = key_rows + panel;

struct AttentionBackward {
  ConstMatrix all_q, all_d_out;  // whole matrices; this head's columns begin at `column`
  int column;
  const float *k_turned, *v_turned;  // times log2(e)/sqrt(dim); times 1/sqrt(dim)
  ConstMatrix q, k, d_out;           // of the head
  const float *row_numbers, *delta;  // delta: for each token d_out . out / sqrt(dim)
  Matrix dq, dk, dv;                 // of the head, added to
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

/// out[key rows] += pairs^T in[query rows]: how dv follows from the weights and dk from the scores'
/// gradients.
CVF_KERNEL inline void to_keys(const Head& h, const float* pairs, ConstMatrix in, int query, int queries,
                               int key, int keys, Matrix out) {
  for (int p = 0; p < h.panels(); ++p) {
    for_tiles<tile_rows>(0, keys, [&](auto rows, int k) {
      Tile<decltype(rows)::value> tile;
      tile.read(out.at(p, key + k));
      multiply<1, pair_stride>(tile, pairs + k, in.at(p, query), queries);
      tile.write(out.at(p, key + k));
    });
  }
}

/// out[query rows] += pairs in[key rows]
CVF_KERNEL inline void to_queries(const Head& h, const float* pairs, ConstMatrix in, int query, int queries,
                                  int key, int keys, Matrix out) {
  for (int p = 0; p < h.panels(); ++p) {
    for_tiles<tile_rows>(0, queries, [&](auto rows, int q) {
      Tile<decltype(rows)::value> tile;
      tile.read(out.at(p, query + q));
      multiply<pair_stride, 1>(tile, pairs + q * pair_stride, in.at(p, key), keys);
      tile.write(out.at(p, query + q));
    });
  }
}

inline void attention_backward(const Head& h, const AttentionBackward& a, float* scratch) {
  float* weights = scratch;
  float* gradients = scratch + query_rows * pair_stride;
  for (int query = 0; query < h.tokens; query += query_rows) {
    const int queries = h.tokens - query < query_rows ? h.tokens - query : query_rows;
    for (int key = 0; key < h.tokens; key += key_rows) {
      const int keys = h.tokens - key < key_rows ? h.tokens - key : key_rows;
      score_gradients(h, a, query, queries, key, keys, weights, gradients);
      to_keys(h, weights, a.d_out, query, queries, key, keys, a.dv);
      to_keys(h, gradients, a.q, query, queries, key, keys, a.dk);
      to_queries(h, gradients, a.k, query, queries, key, keys, a.dq);
    }
  }
}

}  // namespace cvf::kernels::cpu::CVF_SIMD
