// Attention of one head, block by block: no N x N matrix is ever in memory. Forward leaves the logarithm of
// each row's sum of exponentials, from which backward makes the weights again. Scores are kept in units of
// log2.
#pragma once

#include "kernels/cpu/linear.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

constexpr int key_block = 256, key_stride = key_block + panel;           // forward
constexpr int query_rows = 96, key_rows = 64, pair_stride = 64 + panel;  // backward
constexpr float never = -1e30f;

struct Head {
  int tokens, dim;
  int panels() const { return (dim + panel - 1) / panel; }
  int key_panels() const { return (tokens + panel - 1) / panel; }
  long rows_size() const {
    return static_cast<long>(panels()) * tokens * panel;
  }  // a side as panels of its values
  long keys_size() const {
    return static_cast<long>(key_panels()) * dim * panel;
  }  // a side as panels of its tokens
};

/// Columns [column, column+dim) of x times factor, as panels of their own, zero where padded.
CVF_KERNEL inline void take_head(ConstMatrix x, int column, const Head& h, float factor, float* out) {
  const bool eights = column % 8 == 0 && h.dim % 8 == 0;
  const int piece = eights ? 8 : 1;
  for (int p = 0; p < h.panels(); ++p) {
    float* to = out + static_cast<long>(p) * h.tokens * panel;
    for (int first = 0; first < panel; first += piece) {
      const int c = p * panel + first;
      const float* from = x.at((column + c) / panel, 0) + (column + c) % panel;
      for (int r = 0; r < h.tokens; ++r) {
        float* target = to + r * panel + first;
        if (c >= h.dim) {
          for (int i = 0; i < piece; ++i) target[i] = 0;
        } else if (eights) {
          for (int i = 0; i < 8; ++i) target[i] = from[r * panel + i] * factor;
        } else {
          target[0] = from[r * panel] * factor;
        }
      }
    }
  }
}

/// The inverse: writes a head's panels times factor into columns [column, column+dim) of x.
CVF_KERNEL inline void give_head(const float* in, const Head& h, float factor, Matrix x, int column) {
  const bool eights = column % 8 == 0 && h.dim % 8 == 0;
  const int piece = eights ? 8 : 1;
  for (int c = 0; c < h.dim; c += piece) {
    const float* from = in + static_cast<long>(c / panel) * h.tokens * panel + c % panel;
    float* to = x.at((column + c) / panel, 0) + (column + c) % panel;
    for (int r = 0; r < h.tokens; ++r) {
      if (eights) {
        for (int i = 0; i < 8; ++i) to[r * panel + i] = from[r * panel + i] * factor;
      } else {
        to[r * panel] = from[r * panel] * factor;
      }
    }
  }
}

/// A head's panels transposed: panels of 16 tokens, each dim x 16, zero where padded.
CVF_KERNEL inline void turn_head(const float* in, const Head& h, float* out) {
  for (int k = 0; k < h.key_panels(); ++k) {
    float* to = out + static_cast<long>(k) * h.dim * panel;
    for (int t = 0; t < panel; ++t) {
      const int token = k * panel + t;
      for (int c = 0; c < h.dim; ++c) {
        to[c * panel + t] =
            token < h.tokens ? in[static_cast<long>(c / panel) * h.tokens * panel + token * panel + c % panel]
                             : 0;
      }
    }
  }
}

/// tile += rows `row`.. of the head's side `left` times panel k of the turned side `right`
template <int Rows>
CVF_INLINE void dot_tile(Tile<Rows>& tile, const Head& h, const float* left, int row, const float* right,
                         int k) {
  const float* keys = right + static_cast<long>(k) * h.dim * panel;
  for (int c = 0; c < h.dim; c += panel) {
    const int count = h.dim - c < panel ? h.dim - c : panel;
    const float* a = left + static_cast<long>(c / panel) * h.tokens * panel + row * panel;
    if (count == panel) {
      multiply<panel, 1>(tile, a, keys + c * panel, panel);
    } else {
      multiply<panel, 1>(tile, a, keys + c * panel, count);
    }
  }
}

struct AttentionForward {
  const float *q, *k_turned, *v;  // q times log2(e)/sqrt(dim)
  float* out;                     // panels of the head
  float* log_sums;                // one for each token, in units of log2
};

/// Softmax over one block of keys for a few rows of scores: rescales what was summed before, leaves the
/// weights.
template <int Rows>
CVF_INLINE void exponentials(float* scores, int width, const Vec (&most)[Rows], float* high, float* total,
                             float* factor) {
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    const float block_high = largest(most[r]);
    const float now = block_high > high[r] ? block_high : high[r];
    float old[lanes];
    store(old, exp2(splat(high[r] - now)));
    factor[r] = old[0];
    high[r] = now;
    Vec s[4] = {splat(0), splat(0), splat(0), splat(0)};
    float* row = scores + r * key_stride;
    for (int i = 0; i < width; i += panel) {
#pragma GCC unroll 4
      for (int j = 0; j < vectors; ++j) {
        const Vec e = exp2(load(row + i + j * lanes) - splat(now));
        s[j] = s[j] + e;
        store(row + i + j * lanes, e);
      }
    }
    total[r] = total[r] * factor[r] + sum(s[0] + s[1] + s[2] + s[3]);
  }
}

template <int Rows>
CVF_KERNEL void attend_rows(const Head& h, const AttentionForward& a, int row, float* scores) {
  float high[Rows], total[Rows], factor[Rows];
  for (int r = 0; r < Rows; ++r) high[r] = never, total[r] = 0;
  for (int first = 0; first < h.tokens; first += key_block) {
    const int count = h.tokens - first < key_block ? h.tokens - first : key_block;
    const int blocks = (count + panel - 1) / panel;
    Vec most[Rows];
    for (int r = 0; r < Rows; ++r) most[r] = splat(never);
    for (int k = 0; k < blocks; ++k) {
      Tile<Rows> tile;
      tile.clear();
      dot_tile(tile, h, a.q, row, a.k_turned, first / panel + k);
      for (int r = 0; r < Rows; ++r) {
        float* to = scores + r * key_stride + k * panel;
        for (int j = 0; j < vectors; ++j) store(to + j * lanes, tile.v[r][j]);
        for (int i = count - k * panel; i < panel; ++i) to[i] = never;  // tokens that do not exist
        for (int j = 0; j < vectors; ++j) most[r] = max(most[r], load(to + j * lanes));
      }
    }
    exponentials<Rows>(scores, blocks * panel, most, high, total, factor);
    for (int p = 0; p < h.panels(); ++p) {
      float* out = a.out + (static_cast<long>(p) * h.tokens + row) * panel;
      Tile<Rows> tile;
      if (first == 0) {
        tile.clear();
      } else {
        tile.read(out);
        for (int r = 0; r < Rows; ++r) {
          for (int j = 0; j < vectors; ++j) tile.v[r][j] = tile.v[r][j] * splat(factor[r]);
        }
      }
      multiply<key_stride, 1>(tile, scores, a.v + (static_cast<long>(p) * h.tokens + first) * panel, count);
      tile.write(out);
    }
  }
  for (int r = 0; r < Rows; ++r) {
    const Vec share = splat(1.0f / total[r]);
    for (int p = 0; p < h.panels(); ++p) {
      float* out = a.out + (static_cast<long>(p) * h.tokens + row + r) * panel;
      for (int j = 0; j < vectors; ++j) store(out + j * lanes, load(out + j * lanes) * share);
    }
    a.log_sums[row + r] = high[r] + __builtin_log2f(total[r]);
  }
}

struct AttentionBackward {
  const float *q, *k, *k_turned, *v_turned, *d_out;  // q times log2(e)/sqrt(dim)
  const float *log_sums, *delta;                     // delta: for each token d_out . out
  float *dq, *dk, *dv;  // added to; dq lacks 1/sqrt(dim), dk holds q's factor too much
};

/// The weights of a block of queries and keys, made again, and the gradient of its scores.
CVF_KERNEL inline void score_gradients(const Head& h, const AttentionBackward& a, int query, int queries,
                                       int key, int keys, float* weights, float* gradients) {
  for_tiles<tile_rows>(0, queries, [&](auto rows, int row) {
    constexpr int height = decltype(rows)::value;
    for (int k = 0; k * panel < keys; ++k) {
      Tile<height> tile;
      tile.clear();
      dot_tile(tile, h, a.q, query + row, a.k_turned, key / panel + k);
      float* w = weights + row * pair_stride + k * panel;
      float* g = gradients + row * pair_stride + k * panel;
#pragma GCC unroll 16
      for (int r = 0; r < height; ++r) {
        const Vec log_sum = splat(a.log_sums[query + row + r]);
#pragma GCC unroll 4
        for (int j = 0; j < vectors; ++j)
          store(w + r * pair_stride + j * lanes, exp2(tile.v[r][j] - log_sum));
      }
      tile.clear();
      dot_tile(tile, h, a.d_out, query + row, a.v_turned, key / panel + k);
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
CVF_KERNEL inline void to_keys(const Head& h, const float* pairs, const float* in, int query, int queries,
                               int key, int keys, float* out) {
  for (int p = 0; p < h.panels(); ++p) {
    const float* right = in + (static_cast<long>(p) * h.tokens + query) * panel;
    float* to = out + (static_cast<long>(p) * h.tokens + key) * panel;
    for_tiles<tile_rows>(0, keys, [&](auto rows, int k) {
      Tile<decltype(rows)::value> tile;
      tile.read(to + k * panel);
      multiply<1, pair_stride>(tile, pairs + k, right, queries);
      tile.write(to + k * panel);
    });
  }
}

/// out[query rows] += pairs in[key rows]
CVF_KERNEL inline void to_queries(const Head& h, const float* pairs, const float* in, int query, int queries,
                                  int key, int keys, float* out) {
  for (int p = 0; p < h.panels(); ++p) {
    const float* right = in + (static_cast<long>(p) * h.tokens + key) * panel;
    float* to = out + (static_cast<long>(p) * h.tokens + query) * panel;
    for_tiles<tile_rows>(0, queries, [&](auto rows, int q) {
      Tile<decltype(rows)::value> tile;
      tile.read(to + q * panel);
      multiply<pair_stride, 1>(tile, pairs + q * pair_stride, right, keys);
      tile.write(to + q * panel);
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
