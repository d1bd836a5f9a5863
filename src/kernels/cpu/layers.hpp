// Pieces that forward and backward share: scratch, modulation, patches, the recomputable parts of a block.
#pragma once

#include <time.h>

#include "kernels/cpu/attention.hpp"
#include "kernels/cpu/attention_backward.hpp"
#include "kernels/cpu/rows.hpp"
#include "kernels/cpu/team.hpp"
#include "kernels/cpu/vec.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

/// Where the time of a pass goes; costs a test of a pointer when nobody asks.
class Stopwatch {
 public:
  explicit Stopwatch(double* seconds) : seconds_(seconds) { lap(part_count); }

  /// What has passed since the last lap belongs to this part.
  void lap(int part) {
    if (seconds_ == nullptr) return;
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    const double now = static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    if (part < part_count) seconds_[part] += now - last_;
    last_ = now;
  }

 private:
  double* seconds_;
  double last_ = 0;
};

/// Hands out pieces of a buffer; with a null buffer it only counts.
struct Arena {
  float* base;
  long used = 0;
  float* take(long floats) {
    float* out = base == nullptr ? nullptr : base + used;
    used += (floats + 15) / 16 * 16;
    return out;
  }
};

constexpr long block_stride = (block_rows + 1) * panel;

/// The part of a block's modulation for branch 0 (attention) or 1, copied into `workspace` (3 padded rows).
inline Modulation take_modulation(const Plan& plan, const float* from, bool gated, float* workspace) {
  const int padded = plan.dim_panels * panel, parts = gated ? 3 : 2;
  for (int part = 0; part < parts; ++part) {
    float* to = workspace + part * padded;
    for (int c = 0; c < plan.dim; ++c) to[c] = from[part * plan.dim + c] + (part == 1 ? 1.0f : 0.0f);
    for (int c = plan.dim; c < padded; ++c) to[c] = 0;
  }
  return {workspace, workspace + padded, workspace + 2 * padded};
}

/// work(matrix column, offset in the state, values in a row of the patch) for each run of pixels of a token
template <class Work>
CVF_INLINE void for_pixels(const Plan& plan, int token, Work&& work) {
  const int per_row = plan.width / plan.patch;
  const int y = token / per_row * plan.patch, x = token % per_row * plan.patch;
  for (int c = 0; c < plan.channels; ++c) {
    for (int py = 0; py < plan.patch; ++py) {
      work((c * plan.patch + py) * plan.patch, (c * plan.height + y + py) * plan.width + x);
    }
  }
}

inline void to_tokens(const Plan& plan, const float* state, int begin, int end, Matrix tokens) {
  const int values = plan.channels * plan.patch * plan.patch, panels = plan.patch_in.in_panels;
  for (int t = begin; t < end; ++t) {
    for_pixels(plan, t, [&](int column, int pixel) {
      for (int i = 0; i < plan.patch; ++i)
        tokens.at((column + i) / panel, t)[(column + i) % panel] = state[pixel + i];
    });
    for (int c = values; c < panels * panel; ++c) tokens.at(c / panel, t)[c % panel] = 0;
  }
}

inline void from_tokens(const Plan& plan, ConstMatrix tokens, int begin, int end, float* state) {
  for (int t = begin; t < end; ++t) {
    for_pixels(plan, t, [&](int column, int pixel) {
      for (int i = 0; i < plan.patch; ++i)
        state[pixel + i] = tokens.at((column + i) / panel, t)[(column + i) % panel];
    });
  }
}

/// out = x*w + bias
struct WithBias {
  const float* bias;
  Matrix out;
  int offset = 0;  // added to the row
  template <int Rows>
  CVF_INLINE void operator()(Tile<Rows>& tile, int row, int j) const {
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) {
      const Vec b = load(bias + j * panel + i * lanes);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) tile.v[r][i] = tile.v[r][i] + b;
    }
    tile.write(out.at(j, row + offset));
  }
};

/// gelu = GELU(x*w + bias); what enters GELU is kept when asked
struct GeluOfHidden {
  const float* bias;
  Matrix gelu, kept;  // gelu's rows are those of the block of rows, kept's those of the sample
  int offset;
  template <int Rows>
  CVF_INLINE void operator()(Tile<Rows>& tile, int row, int j) const {
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) {
      const Vec b = load(bias + j * panel + i * lanes);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) tile.v[r][i] = tile.v[r][i] + b;
    }
    if (kept.data != nullptr) tile.write(kept.at(j, row + offset));
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
      for (int i = 0; i < vectors; ++i) tile.v[r][i] = tile.v[r][i] * share_of(gelu_tanh, tile.v[r][i]);
    }
    tile.write(gelu.at(j, row));
  }
};

/// out = x + gate * (x*w + bias)
struct GatedResidual {
  const float *bias, *gate;
  ConstMatrix before;
  Matrix out;
  int offset = 0;
  template <int Rows>
  CVF_INLINE void operator()(Tile<Rows>& tile, int row, int j) const {
    const float* from = before.at(j, row + offset);
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) {
      const Vec b = load(bias + j * panel + i * lanes), g = load(gate + j * panel + i * lanes);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) {
        tile.v[r][i] = fma(tile.v[r][i] + b, g, load(from + r * panel + i * lanes));
      }
    }
    tile.write(out.at(j, row + offset));
  }
};

/// out = the product itself
struct Plain {
  Matrix out;
  template <int Rows>
  CVF_INLINE void operator()(Tile<Rows>& tile, int row, int j) const {
    tile.write(out.at(j, row));
  }
};

struct KeptBlock {  // where a block's kept values lie
  float *x, *middle, *qkv, *attended, *hidden, *row_numbers, *statistics;
};

inline KeptBlock kept_block(const KeepPlan& keep, const float* kept, int block) {
  float* base = const_cast<float*>(kept) + block * keep.block;
  return {base + keep.x,         base + keep.middle,        base + keep.qkv,
          base + keep.attended,  base + keep.hidden_values, base + keep.row_numbers,
          base + keep.statistics};
}

}  // namespace cvf::kernels::cpu::CVF_SIMD
