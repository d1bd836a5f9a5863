// Attention of one head, block by block: no N x N matrix is ever in memory. Forward leaves two numbers for
// each row, from which backward makes the weights again: weight = 2^(score - high) * share. Scores are in
// units of log2.
#pragma once

#include "kernels/cpu/heads.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

constexpr int key_block = 256, key_stride = key_block + panel;  // forward
constexpr float never = -1e30f;

struct AttentionForward {
  ConstMatrix q;  // the whole matrix of queries; this head's begin at `column`
  int column;
  const float* k_turned;  // times log2(e)/sqrt(dim)
  ConstColumns v;         // of the head
  Columns out;            // of the head
  float* row_numbers;     // for each token: high, share
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
    store(old, exp2_below(splat(high[r] - now)));
    factor[r] = old[0];
    high[r] = now;
    Vec s[4] = {splat(0), splat(0), splat(0), splat(0)};
    float* row = scores + r * key_stride;
    for (int i = 0; i < width; i += panel) {
#pragma GCC unroll 4
      for (int j = 0; j < vectors; ++j) {
        const Vec e = exp2_below(load(row + i + j * lanes) - splat(now));
        s[j] = s[j] + e;
        store(row + i + j * lanes, e);
      }
    }
    total[r] = total[r] * factor[r] + sum(s[0] + s[1] + s[2] + s[3]);
  }
}

/// out rows = (rows of weights) * v for a block of keys, added to what is there times factor (unless first).
template <int Rows>
CVF_INLINE void add_values(const Head& h, const AttentionForward& a, int row, const float* scores, int first,
                           int count, const float* factor, const float* share) {
  const bool last = first + count == h.tokens;
  for_strips(h.columns(), [&](auto groups, int c) {
    constexpr int wide = decltype(groups)::value;
    constexpr int most = Rows <= strip_rows<wide> ? Rows : (Rows + 1) / 2;  // halves, lest one be thin
    for_tiles<most>(0, Rows, [&](auto rows, int r) {
      Strip<decltype(rows)::value, wide> strip;
      if (first == 0) {
        strip.clear();
      } else {
        strip.read(a.out, c, row + r);
        strip.scale(factor + r);
      }
      strip.template multiply<key_stride, 1>(scores + r * key_stride, a.v, c, first, count);
      if (last) strip.scale(share + r);
      strip.write(a.out, c, row + r);
    });
  });
}

template <int Rows>
CVF_INLINE void note_rows(const AttentionForward& a, int row, const float* high, const float* share) {
  for (int r = 0; r < Rows; ++r) {
    a.row_numbers[2 * (row + r)] = high[r];
    a.row_numbers[2 * (row + r) + 1] = share[r];
  }
}

/// For scores that are known to be small: exponentials straight from the registers, no maximum needed.
template <int Rows>
CVF_KERNEL void attend_rows_small(const Head& h, const AttentionForward& a, int row, float* scores) {
  float high[Rows], share[Rows], factor[Rows];
  Vec sums[Rows];
  for (int r = 0; r < Rows; ++r) high[r] = 0, factor[r] = 1, share[r] = 1, sums[r] = splat(0);
  // a token that does not exist has score 0 and adds 2^0
  const float missing = static_cast<float>(h.key_panels() * panel - h.tokens);
  for (int first = 0; first < h.tokens; first += key_block) {
    const int count = h.tokens - first < key_block ? h.tokens - first : key_block;
    for (int k = 0; k * panel < count; ++k) {
      Tile<Rows> tile;
      tile.clear();
      dot_tile(tile, h, a.q, a.column, row, a.k_turned, first / panel + k);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) {
        float* to = scores + r * key_stride + k * panel;
#pragma GCC unroll 4
        for (int j = 0; j < vectors; ++j) {
          const Vec e = exp2_inside(tile.v[r][j]);
          store(to + j * lanes, e);
          sums[r] = sums[r] + e;
        }
      }
    }
    for (int r = 0; r < Rows; ++r) share[r] = 1.0f / (sum(sums[r]) - missing);  // right after the last block
    add_values<Rows>(h, a, row, scores, first, count, factor, share);
  }
  note_rows<Rows>(a, row, high, share);
}

/// For any scores: each row's maximum is taken off first.
template <int Rows>
CVF_KERNEL void attend_rows_any(const Head& h, const AttentionForward& a, int row, float* scores) {
  float high[Rows], total[Rows], factor[Rows], share[Rows];
  for (int r = 0; r < Rows; ++r) high[r] = never, total[r] = 0, share[r] = 1;
  for (int first = 0; first < h.tokens; first += key_block) {
    const int count = h.tokens - first < key_block ? h.tokens - first : key_block;
    const int blocks = (count + panel - 1) / panel;
    Vec most[Rows];
    for (int r = 0; r < Rows; ++r) most[r] = splat(never);
    for (int k = 0; k < blocks; ++k) {
      Tile<Rows> tile;
      tile.clear();
      dot_tile(tile, h, a.q, a.column, row, a.k_turned, first / panel + k);
      for (int r = 0; r < Rows; ++r) {
        float* to = scores + r * key_stride + k * panel;
        for (int j = 0; j < vectors; ++j) store(to + j * lanes, tile.v[r][j]);
        for (int i = count - k * panel; i < panel; ++i) to[i] = never;  // tokens that do not exist
        for (int j = 0; j < vectors; ++j) most[r] = max(most[r], load(to + j * lanes));
      }
    }
    exponentials<Rows>(scores, blocks * panel, most, high, total, factor);
    for (int r = 0; r < Rows; ++r) share[r] = 1.0f / total[r];
    add_values<Rows>(h, a, row, scores, first, count, factor, share);
  }
  note_rows<Rows>(a, row, high, share);
}

/// All queries of a head.
inline void attention_forward(const Head& h, const AttentionForward& a, float* scores) {
  const bool small =
      largest_score(h, a.q, a.column, a.k_turned) < 60.0f;  // sums of 2^60 are far inside float's range
  for_tiles<tile_rows>(0, h.tokens, [&](auto rows, int row) {
    constexpr int height = decltype(rows)::value;
    if (small) {
      attend_rows_small<height>(h, a, row, scores);
    } else {
      attend_rows_any<height>(h, a, row, scores);
    }
  });
}

}  // namespace cvf::kernels::cpu::CVF_SIMD
