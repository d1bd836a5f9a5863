// One head's columns of a panel matrix: used in place where they fill whole groups, else copied; and turned,
// so that tokens lie along the panels.
#pragma once

#include "kernels/cpu/strip.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

struct Head {
  int tokens, dim;
  int panels() const { return (dim + panel - 1) / panel; }
  int key_panels() const { return (tokens + panel - 1) / panel; }
  long rows_size() const { return static_cast<long>(panels()) * tokens * panel; }   // as panels of its values
  long keys_size() const { return static_cast<long>(key_panels()) * dim * panel; }  // as panels of its tokens
  bool in_place() const { return dim % group == 0; }
  int columns() const { return in_place() ? dim : panels() * panel; }  // of what is worked on
};

/// The head's columns of x; `workspace` takes a copy, padded with zeros, where they cannot be used in place.
CVF_KERNEL inline ConstColumns head_of(ConstMatrix x, int column, const Head& h, float* workspace) {
  if (h.in_place()) return {x, column};
  for (int c = 0; c < h.columns(); ++c) {
    float* to = workspace + static_cast<long>(c / panel) * h.tokens * panel + c % panel;
    const float* from = x.at((column + c) / panel, 0) + (column + c) % panel;
    for (int r = 0; r < h.tokens; ++r) to[r * panel] = c < h.dim ? from[r * panel] : 0;
  }
  return {{workspace, static_cast<long>(h.tokens) * panel}, 0};
}

/// Where to write a head's columns: in place, or in `workspace`, from which put_head brings them home.
CVF_INLINE Columns place_of(Matrix x, int column, const Head& h, float* workspace) {
  if (h.in_place()) return {x, column};
  return {{workspace, static_cast<long>(h.tokens) * panel}, 0};
}

CVF_KERNEL inline void put_head(const Columns& head, const Head& h, Matrix x, int column) {
  if (h.in_place()) return;
  for (int c = 0; c < h.dim; ++c) {
    const float* from = head.at(c, 0);
    float* to = x.at((column + c) / panel, 0) + (column + c) % panel;
    for (int r = 0; r < h.tokens; ++r) to[r * panel] = from[r * panel];
  }
}

/// Panels of 16 tokens, each dim x 16, of the head's columns times factor; tokens that do not exist are 0.
CVF_KERNEL inline void transpose_head(ConstMatrix x, int column, const Head& h, float factor, float* out) {
  const bool eights = column % 8 == 0 && h.dim % 8 == 0;
  const int whole = eights ? h.tokens / 8 * 8 : 0;
  for (int t = 0; t < whole; t += 8) {
    float* to = out + static_cast<long>(t / panel) * h.dim * panel + t % panel;
    for (int c = 0; c < h.dim; c += 8) {
      const float* from = x.at((column + c) / panel, t) + (column + c) % panel;
      transpose_eight(from, panel, to + c * panel, panel, factor);
    }
  }
  for (int t = whole; t < h.key_panels() * panel; ++t) {
    float* to = out + static_cast<long>(t / panel) * h.dim * panel + t % panel;
    for (int c = 0; c < h.dim; ++c) {
      to[c * panel] = t < h.tokens ? x.at((column + c) / panel, t)[(column + c) % panel] * factor : 0;
    }
  }
}

/// tile += rows `row`.. of the columns [column, column+dim) of x, times panel k of a turned head
template <int Rows>
CVF_INLINE void dot_tile(Tile<Rows>& tile, const Head& h, ConstMatrix x, int column, int row,
                         const float* turned, int k) {
  const float* right = turned + static_cast<long>(k) * h.dim * panel;
  for (int c = 0; c < h.dim;) {  // runs of columns within one panel
    const int lane = (column + c) % panel;
    const int run = h.dim - c < panel - lane ? h.dim - c : panel - lane;
    const float* left = x.at((column + c) / panel, row) + lane;
    if (run == panel) {
      multiply<panel, 1>(tile, left, right + c * panel, panel);
    } else {
      multiply<panel, 1>(tile, left, right + c * panel, run);
    }
    c += run;
  }
}

/// An upper bound of |x.k| over all tokens' columns x and all turned tokens k (by the product of their
/// lengths).
CVF_KERNEL inline float largest_score(const Head& h, ConstMatrix x, int column, const float* turned) {
  Vec keys = splat(0);
  for (int k = 0; k < h.key_panels(); ++k) {
    Vec total[vectors];
    for (int j = 0; j < vectors; ++j) total[j] = splat(0);
    for (int c = 0; c < h.dim; ++c) {
      for (int j = 0; j < vectors; ++j) {
        const Vec v = load(turned + (static_cast<long>(k) * h.dim + c) * panel + j * lanes);
        total[j] = fma(v, v, total[j]);
      }
    }
    for (int j = 0; j < vectors; ++j) keys = max(keys, total[j]);
  }
  // whole panels around the head's columns: more than its own, so still a bound
  float queries = 0;
  const int first = column / panel, last = (column + h.dim - 1) / panel;
  for (int t = 0; t < h.tokens; ++t) {
    Vec total = splat(0);
    for (int p = first; p <= last; ++p) {
      for (int j = 0; j < vectors; ++j) {
        const Vec v = load(x.at(p, t) + j * lanes);
        total = fma(v, v, total);
      }
    }
    const float length = sum(total);
    queries = length > queries ? length : queries;
  }
  return __builtin_sqrtf(queries * largest(keys));
}

}  // namespace cvf::kernels::cpu::CVF_SIMD
